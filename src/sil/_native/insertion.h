// Random insertion (the paper's appendix "Generate the Initial Solution").
#pragma once

#include <cstdint>
#include <vector>

#include "geometry.h"
#include "interrupt.h"

namespace sil {

struct Routes {
    std::vector<int> nodes;     // all routes, one after the other
    std::vector<bool> first;    // whether a node begins a route
    bool complete = true;       // false when interrupted: some nodes are missing
};

// Inserts the nodes of `order` one by one, each at the cheapest of all places. With `demand` empty
// it grows one closed tour; otherwise closed routes through node 0, of which `num_seeds` are
// opened by the first nodes of the order and further ones only when nothing else has room.
Routes insertion(const Geometry &geometry, const std::vector<int> &order,
                 const std::vector<std::int64_t> &demand, std::int64_t capacity,
                 std::size_t num_seeds, Interrupt &interrupt);

}  // namespace sil
