// Search on a tour, region by region.
#pragma once

#include <cstdint>
#include <vector>

#include "geometry.h"
#include "interrupt.h"

namespace sil {

// How hard to search a region: first to a local optimum if `descend`, then so many kicks a node at
// a temperature in units of the metric, drawn by `seed`.
struct Effort {
    bool descend;
    double kicks, temperature;
    std::uint64_t seed;
};

// Improves `tour` by k-opt inside each region of nodes (`region[node]`, from 0 to `regions` - 1),
// all regions at the same time over the threads. In a region the rest of the tour stands still:
// where the tour leaves and comes back, the two nodes stay linked. Regions together may then
// leave several closed tours instead of one, which are joined where that costs least.
//
// `neighbours` lists `width` near nodes of each node, nearest first.
void search_tour(const Geometry &geometry, std::vector<int> &tour, const std::int32_t *region,
                 std::size_t regions, const std::int32_t *neighbours, std::size_t width,
                 const Effort &effort, int threads, Interrupt &interrupt);

}  // namespace sil
