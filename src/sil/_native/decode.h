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

// What the network sees of states in the midst of partial solutions, one of each; see network.h.
struct Observation {
    std::size_t wide;          // places for candidates; fewer are filled up with zeros
    std::int32_t *candidates;  // (count, wide), -1 where there is none
    std::int64_t *remaining;   // (count), capacity left, or null for TSP
    float *nodes, *start, *destination, *context;
};

// Partial solution i is looked at when `steps[i]` of its inner nodes have been visited.
void observe(const PolicyShape &shape, const DecodeTask &task, const std::int64_t *steps,
             const Observation &out);

// An interrupted partial solution stays as it was. Results do not depend on the threads.
void decode(const Policy &policy, const DecodeTask &task, int threads, Interrupt &interrupt);

}  // namespace sil
