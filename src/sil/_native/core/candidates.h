// Lists of candidates: for each node, the nodes that may follow it in a good solution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/instance.h"

namespace sil {

struct Candidates {
    Neighbours lists;
    std::vector<std::uint32_t> around;  // of each node, bit k: entry k of its list lies around it
};

// Each list has up to twelve nodes that lie around the node: its neighbours in the Delaunay
// triangulation. They lie on all sides, however the nodes cluster. The nearest of the other nodes
// fill the list, which is sorted by distance. `near` has the nearest nodes, in lists of the same
// width, at most 32. A matrix has no places, so there only the nearest remain. Returns nullopt if
// interrupted.
std::optional<Candidates> candidates(const Instance &instance, const Neighbours &near, int threads,
                                     Interrupt &interrupt);

}  // namespace sil
