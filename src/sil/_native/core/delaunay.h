// Delaunay triangulation: which points see each other across the map, however points cluster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/geometry.h"
#include "core/interrupt.h"

namespace sil {

// The edges of a triangulation, from both ends.
struct Triangulation {
    std::vector<std::size_t> first;    // where the list of each point begins, then the end of all
    std::vector<std::int32_t> others;  // the lists, nearest first
};

// Triangulates points by divide and conquer (Guibas and Stolfi, 1985) in near-linear time.
//
// Points are rounded to a grid of 2^26 by 2^26 cells, on which all decisions are exact. Of several
// points in one cell only the first is triangulated, and the others have no edges. Nor have more
// than 2^28 points, whose edges could not be numbered. The result does not depend on the number of threads. If interrupted, it is incomplete.
Triangulation triangulate(const Point *points, std::size_t size, int threads, Interrupt &interrupt);

}  // namespace sil
