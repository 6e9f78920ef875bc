// Space-filling curve: near on the curve is near on the map.
#pragma once

#include <cstdint>
#include <vector>

#include "geometry.h"

namespace sil {

// The place of each point along a Hilbert curve over the points' bounding square.
std::vector<std::uint64_t> hilbert_keys(const Point *points, std::size_t size);

}  // namespace sil
