// Combines the best of two solutions: each difference is judged separately.
#pragma once

#include <cstdint>

#include "core/instance.h"

namespace sil {

struct Recombined {
    Routes routes;
    double gain;
};

// Applies the changes of `rebuilt` that make `old` shorter. Both are rings: the last node is
// followed by the first, so a route may continue from the end of the list to its beginning. They
// have the same nodes and differ only within runs, which are numbered in order. `run` is the run of
// each place in the ring.
//
// The edges that only one of the two has form connected components. A component can be exchanged
// without the others if it connects the same pairs of nodes in both, as in partition crossover.
// With a depot, it can if all routes that it touches stay routes within the limits. Components that
// cannot be exchanged alone are exchanged together, run by run, if that is shorter.
Recombined recombine(const Instance &instance, const std::int32_t *run, const Routes &old,
                     const Routes &rebuilt);

}  // namespace sil
