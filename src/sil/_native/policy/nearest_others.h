// The nearest other points of each of a few points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/geometry.h"

namespace sil {

// Writes result (count, wanted): for each point the indices of the nearest others, nearest first,
// then -1. Points at infinity are no neighbours of others and have none.
inline void nearest_others(const Point *points, std::size_t count, int wanted,
                           std::int32_t *result) {
    if (wanted < 1) return;
    std::vector<double> away(wanted);
    for (std::size_t i = 0; i < count; ++i, result += wanted) {
        for (int place = 0; place < wanted; ++place) {
            away[place] = std::numeric_limits<double>::infinity();
            result[place] = -1;
        }
        for (std::size_t j = 0; j < count; ++j) {
            const double dx = points[j].x - points[i].x, dy = points[j].y - points[i].y;
            const double distance = dx * dx + dy * dy;
            if (!(distance < away[wanted - 1]) || j == i) continue;
            int place = wanted - 1;
            for (; place > 0 && distance < away[place - 1]; --place) {
                away[place] = away[place - 1];
                result[place] = result[place - 1];
            }
            away[place] = distance;
            result[place] = static_cast<std::int32_t>(j);
        }
    }
}

}  // namespace sil
