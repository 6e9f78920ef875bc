// Improves the order of the nodes within routes or runs by k-opt with kicks.
#pragma once

#include "core/instance.h"
#include "core/interrupt.h"
#include "search/effort.h"

namespace sil {

enum class Ends {
    Depot,  // a route begins and ends at node 0
    Fixed,  // a run keeps its first and its last node
};

// Improves each route or run separately, in parallel: first to a local optimum, then by kicks.
void improve_order(const Instance &instance, const Neighbours &neighbours, Routes &routes,
                   Ends ends, const Effort &effort, int threads, Interrupt &interrupt);

}  // namespace sil
