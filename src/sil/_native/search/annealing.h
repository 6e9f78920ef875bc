// Simulated annealing: when to accept a change for the worse.
#pragma once

#include <cmath>
#include <random>

namespace sil {

inline double uniform(std::mt19937_64 &random) {  // in (0, 1]
    return (static_cast<double>(random() >> 11) + 1) * 0x1p-53;
}

inline bool annealing_accepts(double change, double temperature, std::mt19937_64 &random) {
    return change <= 0 || (temperature > 0 && change < -temperature * std::log(uniform(random)));
}

}  // namespace sil
