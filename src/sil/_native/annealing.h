// Simulated annealing: how long it goes on, and when to accept a change for the worse.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>

namespace sil {

// So many steps a node, which may be infinite.
inline std::size_t steps_for(double a_node, std::size_t nodes) {
    return static_cast<std::size_t>(std::min(a_node * static_cast<double>(nodes), 1e18));
}

inline double uniform(std::mt19937_64 &random) {  // in (0, 1]
    return (static_cast<double>(random() >> 11) + 1) * 0x1p-53;
}

inline bool annealing_accepts(double change, double temperature, std::mt19937_64 &random) {
    return change <= 0 || (temperature > 0 && change < -temperature * std::log(uniform(random)));
}

}  // namespace sil
