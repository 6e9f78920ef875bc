// Exhaustive reconstruction of short partial solutions.
#pragma once

#include <cstdint>

#include "geometry.h"

namespace sil {

// What a partial solution must respect besides its nodes; only CVRP has it.
struct Loads {
    const std::int64_t *demand = nullptr;  // of all nodes; null for TSP
    std::int64_t capacity = 0;
    std::int64_t before = 0;  // load of the first node's route that lies outside, before it
    std::int64_t after = 0;   // load of the last node's route that lies outside, behind it
};

// The longest partial solution that `reconstruct_exactly` takes.
constexpr int max_exact_length = 10;

// Replaces the inner nodes (and, for CVRP, the via-depot flags, which are ignored at the first
// node) of a partial solution by the cheapest order that there is.
void reconstruct_exactly(const Geometry &geometry, const Loads &loads, int length,
                         std::int32_t *nodes, bool *via_depot);

}  // namespace sil
