#include "core/curve.h"

#include <utility>

namespace sil {
namespace {

constexpr int order = 26;  // 2^26 cells per side: finer than any map, and the key fits in 64 bits

std::uint64_t hilbert_key(std::uint32_t x, std::uint32_t y) {
    std::uint64_t key = 0;
    for (std::uint32_t bit = 1u << (order - 1); bit > 0; bit >>= 1) {
        const bool right = x & bit, upper = y & bit;
        key = 4 * key + ((3 * right) ^ upper);
        // Turn the quadrant so that the curve inside it runs like the whole curve.
        if (!upper) {
            if (right) {
                x = ~x;
                y = ~y;
            }
            std::swap(x, y);
        }
    }
    return key;
}

}  // namespace

std::vector<std::uint64_t> hilbert_keys(const Point *points, std::size_t size) {
    std::vector<std::uint64_t> keys(size);
    if (size == 0) return keys;
    const Bounds bounds = bounds_of(points, size);
    // Points that are closer than this have distance 0, because its square underflows.
    const double cells = bounds.side() > 1e-200 ? ((1u << order) - 1) / bounds.side() : 0;
    for (std::size_t i = 0; i < size; ++i)
        keys[i] = hilbert_key(static_cast<std::uint32_t>((points[i].x - bounds.low.x) * cells),
                              static_cast<std::uint32_t>((points[i].y - bounds.low.y) * cells));
    return keys;
}

}  // namespace sil
