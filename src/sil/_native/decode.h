// Rebuilding partial solutions with the policy, node by node between their fixed ends.
#pragma once

#include <cstdint>

#include "geometry.h"
#include "interrupt.h"
#include "policy.h"

namespace sil {

// A batch of partial solutions as in segments.py, rebuilt in place.
struct DecodeTask {
    const Point *points;      // of all nodes
    std::size_t count;        // of partial solutions
    int length;               // of each
    std::int32_t *nodes;      // (count, length)
    bool *via_depot;          // (count, length), or null for TSP
    const std::int64_t *load_before, *load_after;  // (count), or null for TSP
    const std::int64_t *demand;                    // of all nodes, or null for TSP
    std::int64_t capacity;
    double corner_x, corner_y, side;  // of the instance, for Frame::Instance
    bool sample;                      // draw from the policy instead of taking its best
    std::uint64_t seed;
};

// An interrupted partial solution stays as it was. Results do not depend on the threads.
void decode(const Policy &policy, const DecodeTask &task, int threads, Interrupt &interrupt);

}  // namespace sil
