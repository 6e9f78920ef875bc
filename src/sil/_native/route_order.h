// Puts the nodes of routes, or between the ends of runs, in a good order by k-opt with kicks.
#pragma once

#include <cstdint>
#include <vector>

#include "geometry.h"
#include "interrupt.h"

namespace sil {

enum class Ends {
    Depot,  // a route is closed through node 0
    Fixed,  // a run keeps its first and its last node
};

// `nodes` holds routes or runs one after the other; `starts` says where each begins. `neighbours` lists `width` near nodes of each node, nearest first. They are
// independent and spread over the threads. Each gets `kicks` kicks a node, drawn by `seed`.
void improve_order(const Geometry &geometry, std::vector<int> &nodes,
                   const std::vector<int> &starts, Ends ends, const std::int32_t *neighbours,
                   std::size_t width, double kicks, std::uint64_t seed, int threads,
                   Interrupt &interrupt);

}  // namespace sil
