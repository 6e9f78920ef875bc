// Partial solutions: runs of consecutive nodes that are rebuilt between their fixed ends.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/limits.h"

namespace sil {

// A batch as in partial.py, rewritten in place. The flags and loads are null for TSP.
struct PartialSolutions {
    std::size_t count;                             // of partial solutions
    int length;                                    // of each
    std::int32_t *nodes;                           // (count, length)
    bool *via_depot;                               // (count, length)
    const std::int64_t *load_before, *load_after;  // (count)

    std::int32_t *nodes_of(std::size_t part) const { return nodes + part * length; }
    bool *flags_of(std::size_t part) const {
        return via_depot ? via_depot + part * length : nullptr;
    }
    // What the routes of the first and the last node use outside the partial solution.
    Usage before(std::size_t part) const {
        return load_before ? Usage{load_before[part]} : Usage{};
    }
    Usage after(std::size_t part) const { return load_after ? Usage{load_after[part]} : Usage{}; }
};

}  // namespace sil
