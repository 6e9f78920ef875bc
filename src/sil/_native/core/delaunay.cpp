#include "core/delaunay.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace sil {
namespace {

struct Cell {
    std::int64_t x, y;
    std::int32_t index;  // of the point

    bool same(const Cell &other) const { return x == other.x && y == other.y; }
    bool operator<(const Cell &other) const {
        if (x != other.x) return x < other.x;
        return y != other.y ? y < other.y : index < other.index;
    }
};

// Twice the area of a triangle, positive if it runs counterclockwise.
std::int64_t area(const Cell &a, const Cell &b, const Cell &c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// Whether d lies inside the circle through a, b and c, which run counterclockwise. Products of two
// differences are below 2^53, so only the last products are rounded.
bool in_circle(const Cell &a, const Cell &b, const Cell &c, const Cell &d) {
    const std::int64_t ax = a.x - d.x, ay = a.y - d.y, bx = b.x - d.x, by = b.y - d.y,
                       cx = c.x - d.x, cy = c.y - d.y;
    const std::int64_t minors[] = {bx * cy - by * cx, cx * ay - cy * ax, ax * by - ay * bx};
    const std::int64_t squares[] = {ax * ax + ay * ay, bx * bx + by * by, cx * cx + cy * cy};
    double sum = 0, size = 0;
    for (int i = 0; i < 3; ++i) {
        const double product = static_cast<double>(minors[i]) * static_cast<double>(squares[i]);
        sum += product;
        size += std::fabs(product);
    }
    constexpr double rounding = 1e-15;  // more than four roundings, relative to the size
    if (std::fabs(sum) > rounding * size) return sum > 0;
    __extension__ __int128 exact = 0;
    for (int i = 0; i < 3; ++i) exact += static_cast<decltype(exact)>(minors[i]) * squares[i];
    return exact > 0;
}

// Directed edges: 2i and 2i + 1 are the two directions of one edge. The edges that begin at a point
// form a ring, in counterclockwise order.
class Edges {
  public:
    explicit Edges(const std::vector<Cell> &cells)
        : cells_(cells), origin_(6 * cells.size(), -1), next_(origin_.size()),
          previous_(origin_.size()) {}

    // A chain of edges that are not in use, so that each part of the map has its own.
    struct Unused {
        int first = -1, last = -1;
    };

    static int turned(int edge) { return edge ^ 1; }
    std::size_t count() const { return origin_.size(); }
    int origin(int edge) const { return origin_[edge]; }
    int end(int edge) const { return origin_[turned(edge)]; }
    int around(int edge) const { return next_[edge]; }  // counterclockwise, same origin
    int back_around(int edge) const { return previous_[edge]; }
    // The next edge along the face on its left.
    int left_next(int edge) const { return previous_[turned(edge)]; }
    // The previous edge along the face on its right.
    int right_previous(int edge) const { return next_[turned(edge)]; }

    bool left_of(int point, int edge) const { return side(point, edge) > 0; }
    bool right_of(int point, int edge) const { return side(point, edge) < 0; }
    bool circle_holds(int a, int b, int c, int point) const {
        return in_circle(cells_[a], cells_[b], cells_[c], cells_[point]);
    }
    bool counterclockwise(int a, int b, int c) const {
        return area(cells_[a], cells_[b], cells_[c]) > 0;
    }

    void release(int edge, Unused &unused) {
        origin_[edge] = origin_[turned(edge)] = -1;
        next_[edge] = unused.first;
        unused.first = edge;
        if (unused.last < 0) unused.last = edge;
    }

    Unused joined(const Unused &a, const Unused &b) {
        if (a.first < 0) return b;
        if (b.first < 0) return a;
        next_[a.last] = b.first;
        return {a.first, b.last};
    }

    int make(int from, int to, Unused &unused) {
        const int edge = unused.first & ~1;
        unused.first = next_[unused.first];
        if (unused.first < 0) unused.last = -1;
        for (const int each : {edge, turned(edge)}) next_[each] = previous_[each] = each;
        origin_[edge] = from;
        origin_[turned(edge)] = to;
        return edge;
    }

    // Joins two rings, or divides one into two.
    void splice(int a, int b) {
        std::swap(next_[a], next_[b]);
        previous_[next_[a]] = a;
        previous_[next_[b]] = b;
    }

    // Adds an edge from the end of `a` to the origin of `b`. All three have the same left face.
    int connect(int a, int b, Unused &unused) {
        const int edge = make(end(a), origin(b), unused);
        splice(edge, left_next(a));
        splice(turned(edge), b);
        return edge;
    }

    void remove(int edge, Unused &unused) {
        for (const int each : {edge, turned(edge)}) splice(each, previous_[each]);
        release(edge, unused);
    }

  private:
    std::int64_t side(int point, int edge) const {
        return area(cells_[origin_[edge]], cells_[end(edge)], cells_[point]);
    }

    const std::vector<Cell> &cells_;
    std::vector<int> origin_, next_, previous_;
};

// A triangulated range of cells.
struct Part {
    int leftmost = -1;   // the edge of the hull that leaves the first cell counterclockwise
    int rightmost = -1;  // the edge of the hull that leaves the last cell clockwise
    Edges::Unused unused;
};

Part triangulate_few(Edges &edges, int begin, int end) {
    Part part;
    // A planar graph has fewer than three edges per point.
    for (int edge = 6 * begin; edge < 6 * end; edge += 2) edges.release(edge, part.unused);
    const int a = edges.make(begin, begin + 1, part.unused);
    if (end - begin == 2) {
        part.leftmost = a;
        part.rightmost = Edges::turned(a);
        return part;
    }
    const int b = edges.make(begin + 1, begin + 2, part.unused);
    edges.splice(Edges::turned(a), b);
    part.leftmost = a;
    part.rightmost = Edges::turned(b);
    if (edges.counterclockwise(begin, begin + 1, begin + 2)) {
        edges.connect(b, a, part.unused);
    } else if (edges.counterclockwise(begin, begin + 2, begin + 1)) {
        part.rightmost = edges.connect(b, a, part.unused);
        part.leftmost = Edges::turned(part.rightmost);
    }
    return part;
}

// Joins two triangulations, the second to the right of the first, from bottom to top.
Part merge(Edges &edges, const Part &left, const Part &right) {
    Part part{left.leftmost, right.rightmost, edges.joined(left.unused, right.unused)};
    int low_left = left.rightmost, low_right = right.leftmost;
    for (;;) {  // down to the edge that touches both from below
        if (edges.left_of(edges.origin(low_right), low_left)) low_left = edges.left_next(low_left);
        else if (edges.right_of(edges.origin(low_left), low_right))
            low_right = edges.right_previous(low_right);
        else break;
    }
    int base = edges.connect(Edges::turned(low_right), low_left, part.unused);
    if (edges.origin(low_left) == edges.origin(left.leftmost)) part.leftmost = Edges::turned(base);
    if (edges.origin(low_right) == edges.origin(right.rightmost)) part.rightmost = base;
    for (;;) {  // up, one triangle at a time
        const auto above = [&](int edge) { return edges.right_of(edges.end(edge), base); };
        const auto spoils = [&](int edge, int beside) {
            return edges.circle_holds(edges.end(base), edges.origin(base), edges.end(edge),
                                      edges.end(beside));
        };
        int on_left = edges.around(Edges::turned(base));
        if (above(on_left))
            while (spoils(on_left, edges.around(on_left)))
                edges.remove(std::exchange(on_left, edges.around(on_left)), part.unused);
        int on_right = edges.back_around(base);
        if (above(on_right))
            while (spoils(on_right, edges.back_around(on_right)))
                edges.remove(std::exchange(on_right, edges.back_around(on_right)), part.unused);
        const bool left_above = above(on_left), right_above = above(on_right);
        if (!left_above && !right_above) return part;
        const bool take_right =
            !left_above ||
            (right_above && edges.circle_holds(edges.end(on_left), edges.origin(on_left),
                                               edges.origin(on_right), edges.end(on_right)));
        base = take_right ? edges.connect(on_right, Edges::turned(base), part.unused)
                          : edges.connect(Edges::turned(base), Edges::turned(on_left), part.unused);
    }
}

Part triangulate_range(Edges &edges, int begin, int end, const Interrupt &interrupt) {
    if (end - begin <= 3) return triangulate_few(edges, begin, end);
    const int middle = begin + (end - begin) / 2;
    const Part left = triangulate_range(edges, begin, middle, interrupt);
    const Part right = triangulate_range(edges, middle, end, interrupt);
    return interrupt.is_set() ? Part{} : merge(edges, left, right);
}

// The cells of all points, from left to right, without repetition.
std::vector<Cell> distinct_cells(const Point *points, std::size_t size) {
    const Bounds bounds = bounds_of(points, size);
    constexpr double cells = (1 << 26) - 1;
    const double scale = bounds.side() > 0 ? cells / bounds.side() : 0;
    std::vector<Cell> all(size);
    for (std::size_t i = 0; i < size; ++i)
        all[i] = {std::llround((points[i].x - bounds.low.x) * scale),
                  std::llround((points[i].y - bounds.low.y) * scale), static_cast<std::int32_t>(i)};
    std::sort(all.begin(), all.end());
    const auto same = [](const Cell &a, const Cell &b) { return a.same(b); };
    all.erase(std::unique(all.begin(), all.end(), same), all.end());
    return all;
}

void triangulate_all(Edges &edges, int size, int threads, Interrupt &interrupt) {
    int count = 1;  // of ranges, a power of two
    while (size / count > 4'000 && count < 64) count *= 2;
    const auto begin = [&](std::size_t range) {
        return static_cast<int>(static_cast<std::int64_t>(size) * range / count);
    };
    std::vector<Part> parts(count);
    parallel_for(count, threads, interrupt, [&](std::size_t i) {
        parts[i] = triangulate_range(edges, begin(i), begin(i + 1), interrupt);
    });
    for (std::size_t step = 1; step < parts.size() && !interrupt.is_set(); step *= 2)
        parallel_for(parts.size() / (2 * step), threads, interrupt, [&](std::size_t i) {
            parts[2 * step * i] = merge(edges, parts[2 * step * i], parts[2 * step * i + step]);
        });
}

}  // namespace

Triangulation triangulate(const Point *points, std::size_t size, int threads,
                          Interrupt &interrupt) {
    Triangulation result;
    result.first.assign(size + 1, 0);
    if (size == 0 || size > std::size_t{1} << 28) return result;
    const std::vector<Cell> cells = distinct_cells(points, size);
    if (cells.size() < 2) return result;
    Edges edges(cells);
    triangulate_all(edges, static_cast<int>(cells.size()), threads, interrupt);
    if (interrupt.is_set()) return result;
    const int count = static_cast<int>(edges.count());
    for (int edge = 0; edge < count; ++edge)
        if (edges.origin(edge) >= 0) ++result.first[cells[edges.origin(edge)].index + 1];
    std::partial_sum(result.first.begin(), result.first.end(), result.first.begin());
    result.others.resize(result.first.back());
    std::vector<std::size_t> next(result.first.begin(), result.first.end() - 1);
    for (int edge = 0; edge < count; ++edge)
        if (edges.origin(edge) >= 0)
            result.others[next[cells[edges.origin(edge)].index]++] = cells[edges.end(edge)].index;
    const auto sort_list = [&](std::size_t i) {
        const auto begin = result.others.begin();
        std::sort(begin + result.first[i], begin + result.first[i + 1],
                  [&](std::int32_t a, std::int32_t b) {
                      const double to_a = planar_distance(points[i], points[a]),
                                   to_b = planar_distance(points[i], points[b]);
                      return to_a != to_b ? to_a < to_b : a < b;
                  });
    };
    parallel_for_each(size, threads, interrupt, sort_list);
    return result;
}

}  // namespace sil
