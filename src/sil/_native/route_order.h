// Puts the nodes of closed routes in a good order by k-opt, iterated by kicks.
#pragma once

#include <cstdint>
#include <vector>

#include "geometry.h"
#include "interrupt.h"

namespace sil {

// `nodes` holds customer routes one after the other, each closed through node 0; `starts` says
// where each begins. `neighbours` lists `width` near nodes of each node, nearest first. Routes are
// independent and spread over the threads. Each gets `kicks` kicks a node, drawn by `seed`.
void improve_order(const Geometry &geometry, std::vector<int> &nodes,
                   const std::vector<int> &starts, const std::int32_t *neighbours,
                   std::size_t width, double kicks, std::uint64_t seed, int threads,
                   Interrupt &interrupt);

}  // namespace sil
