// The best of two solutions: where they differ, each difference is judged by itself.
#pragma once

#include <cstdint>
#include <vector>

#include "geometry.h"

namespace sil {

// All nodes in the order of a ring. Flags say which are reached through the depot (node 0); they
// are null for TSP, where the ring is the tour.
struct RingView {
    const std::int32_t *nodes;
    const bool *via_depot;
};

struct Demands {
    const std::int64_t *of_node;  // null for TSP
    std::int64_t capacity;
};

struct Ring {
    std::vector<std::int32_t> nodes;
    std::vector<char> via_depot;
    double gain = 0;
};

// Takes from `rebuilt` what makes `old` shorter. The two are rings of `count` nodes that differ
// only inside runs, which are numbered in their order; `run` tells that of each place of the ring.
//
// Edges of one that the other lacks fall into connected components. One of them can be exchanged
// without the others if it leads from the same nodes to the same nodes in both (as in partition
// crossover); with a depot, if all routes that it touches stay routes and none is overloaded.
// What cannot be exchanged alone is exchanged together, run by run, if that is shorter.
Ring recombine(const Geometry &geometry, std::size_t count, const std::int32_t *run,
               const RingView &old, const RingView &rebuilt, const Demands &demands);

}  // namespace sil
