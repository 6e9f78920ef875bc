// Space-filling curve: points that are near on the curve are near on the map.
#pragma once

#include <cstdint>
#include <vector>

#include "core/geometry.h"

namespace sil {

// The position of each point along a Hilbert curve over the points' bounding square.
std::vector<std::uint64_t> hilbert_keys(const Point *points, std::size_t size);

}  // namespace sil
