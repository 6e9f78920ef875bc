// Exhaustive reconstruction of short partial solutions.
#pragma once

#include "core/instance.h"
#include "segments/partial.h"

namespace sil {

// The longest partial solution that `reconstruct_exactly` accepts.
constexpr int max_exact_length = 10;

// Replaces the order of the inner nodes of a partial solution by the cheapest one. For CVRP, also
// the via-depot flags, except that of the first node, which is ignored.
void reconstruct_exactly(const Instance &instance, const PartialSolutions &parts, std::size_t part);

}  // namespace sil
