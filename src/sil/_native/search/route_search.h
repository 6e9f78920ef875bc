// Search on the routes of a CVRP solution, one group of neighbouring routes at a time.
#pragma once

#include "core/instance.h"
#include "core/interrupt.h"
#include "search/effort.h"

namespace sil {

// Improves the routes of each group separately, in parallel. `groups` assigns each route to a
// group. `neighbours` are near customers of each node. `held`, which may be null, marks nodes that
// must stay next to the depot, each in a different route, as they are initially. Each group first
// tries to remove `removals` routes, and has no more routes than before unless the limits leave some
// to be opened. On return, the routes are ordered by group.
void search_routes(const Instance &instance, const Neighbours &neighbours, Routes &routes,
                   const Division &groups, const bool *held, int removals, const Effort &effort,
                   int threads, Interrupt &interrupt);

}  // namespace sil
