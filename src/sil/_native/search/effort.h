// How long to search, and in which parts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sil {

// A number of steps per node, which may be infinite, at a temperature in units of the metric. The
// seed determines all random choices.
struct Effort {
    double steps = 0, temperature = 0;
    std::uint64_t seed = 0;

    std::size_t steps_for(std::size_t nodes) const {
        return static_cast<std::size_t>(std::min(steps * static_cast<double>(nodes), 1e18));
    }
};

// Assigns each node of a tour, or each route, to a part from 0 to `count` - 1. Parts are searched
// in parallel, each with its own seed.
struct Division {
    const std::int32_t *part_of;
    std::size_t count;
};

}  // namespace sil
