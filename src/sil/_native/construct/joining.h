// Starts that join near ends of paths: greedy edge, and the savings of Clarke and Wright.
#pragma once

#include <optional>

#include "core/instance.h"
#include "core/interrupt.h"

namespace sil {

// Both join nodes with their `neighbours`. If that leaves several paths of a tour, they repeatedly
// join ends of paths with near ends. They return nullopt if interrupted.

// Repeatedly takes the shortest edge that can still be part of a tour.
std::optional<Routes> greedy_edge(const Instance &instance, const Neighbours &neighbours,
                                  int threads, Interrupt &interrupt);

// Every customer begins with its own route. Near routes are joined in the order of what that saves,
// if the limits allow it. For TSP, node 0 acts as the depot and there are no limits.
std::optional<Routes> savings(const Instance &instance, const Neighbours &neighbours, int threads,
                              Interrupt &interrupt);

}  // namespace sil
