// Search on the routes of a CVRP solution, one group of neighbouring routes at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "geometry.h"
#include "interrupt.h"

namespace sil {

// `nodes` holds the routes one after the other, `starts` says where each begins and `group` to
// which of `groups` each belongs; groups are independent and spread over the threads. Each gets
// `iterations` a customer at a `temperature` in units of the metric, drawn by `seed`. `neighbours`
// lists `width` near customers of each node, nearest first. `held`, which may be null, marks nodes
// that stay beside the depot, each in a route of its own, as they must be at first. On return `nodes` and `first`, which says
// whether a node begins a route, hold the new routes, those of the first group first.
void search_routes(const Geometry &geometry, std::vector<int> &nodes, std::vector<char> &first,
                   const std::vector<int> &starts, const std::int32_t *group, std::size_t groups,
                   const std::int64_t *demand, std::int64_t capacity,
                   const std::int32_t *neighbours, std::size_t width, const bool *held,
                   double iterations, double temperature, std::uint64_t seed, int threads, Interrupt &interrupt);

}  // namespace sil
