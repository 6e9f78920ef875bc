// Puts the nodes of closed routes in a good order: 2-opt and Or-opt to a local optimum.
#pragma once

#include <cstdint>
#include <vector>

#include "geometry.h"
#include "interrupt.h"

namespace sil {

// `nodes` holds customer routes one after the other, each closed through node 0; `starts` says
// where each begins. `neighbours` lists `width` near nodes of each node, nearest first. Routes are
// independent and spread over the threads.
void improve_order(const Geometry &geometry, std::vector<int> &nodes,
                   const std::vector<int> &starts, const std::int32_t *neighbours,
                   std::size_t width, int threads, Interrupt &interrupt);

}  // namespace sil
