// Search on a tour, region by region.
#pragma once

#include "core/instance.h"
#include "core/interrupt.h"
#include "search/effort.h"

namespace sil {

// Improves a tour, which is the only route, by k-opt within each region of nodes, in parallel:
// first to a local optimum if `descend`, then by kicks. Meanwhile the rest of the tour does not
// change: a fixed edge links the nodes where the tour leaves the region and comes back. The results
// of all regions together may form several closed tours. These are joined where that costs least.
void search_tour(const Instance &instance, const Neighbours &neighbours, Routes &routes,
                 const Division &regions, bool descend, const Effort &effort, int threads,
                 Interrupt &interrupt);

}  // namespace sil
