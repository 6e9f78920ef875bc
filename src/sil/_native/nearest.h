// The nearest others of each of many points.
#pragma once

#include <cstdint>
#include <vector>

#include "geometry.h"
#include "interrupt.h"

namespace sil {

// The `count` nearest others of each of `size` points of two or three coordinates, nearest first
// and, where equally near, by number: indices (size, count). `count` is less than `size`. Among
// more points equally far than there is room for, those that lie beside the point in the tree are
// taken, so that the lists of many equal points differ and are found as quickly. Results do not
// depend on the threads; interrupted, they are incomplete.
std::vector<std::int32_t> nearest(const double *points, std::size_t size, int dimensions,
                                  std::size_t count, int threads, Interrupt &interrupt);

// Of `width` near others of each point, nearest first, chooses `count`: two of each quadrant if
// there are, then the nearest of the rest; in the order given.
std::vector<std::int32_t> spread(const Point *points, std::size_t size, const std::int32_t *near,
                                 std::size_t width, std::size_t count, int threads,
                                 Interrupt &interrupt);

}  // namespace sil
