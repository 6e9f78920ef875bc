// Finds the cheapest place to insert a node without looking at most places.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "core/geometry.h"

namespace sil {

// A loose quadtree over the edges of a growing solution. An edge lies in the cell that contains its
// midpoint, at the depth where the size of cells is about the length of the edge. Inserting point p
// into an edge of length L and midpoint m costs at least 2|p - m| - L (the median of a triangle is
// at most the mean of its sides). So a cell and everything below it is skipped if
// 2 * distance(p, cell) - (longest edge it can have) is no better than the best place so far.
//
// `scale` and `slack` relate costs to planar lengths as described in geometry.h.
class PlanarEdgeIndex {
  public:
    PlanarEdgeIndex(const Point *points, std::size_t num_points, std::size_t num_edges,
                    double scale, double slack)
        : cell_of_(num_edges, none), next_(num_edges), previous_(num_edges), scale_(scale),
          slack_(slack) {
        const Bounds bounds = bounds_of(points, num_points);
        origin_ = bounds.low;
        side_ = bounds.side();
        smallest_ = std::max({side_ * 0x1p-24, slack / scale / 8, 1e-300});
        cells_.push_back(Cell{none});
    }

    void add(int edge, Point from, Point to) {
        const Point middle{(from.x + to.x) / 2, (from.y + to.y) / 2};
        const double length = planar_distance(from, to);
        int cell = root;
        Point corner = origin_;
        double half = side_ / 2;
        // `half` is the side of the children: descend while the edge is not longer.
        for (; half >= smallest_ && length <= half; half /= 2) {
            const bool right = middle.x >= corner.x + half, upper = middle.y >= corner.y + half;
            const int quadrant = right + 2 * upper;
            if (cells_[cell].child[quadrant] == none) {
                cells_[cell].child[quadrant] = static_cast<int>(cells_.size());
                cells_.push_back(Cell{cell});
            }
            cell = cells_[cell].child[quadrant];
            corner = {corner.x + right * half, corner.y + upper * half};
        }
        cell_of_[edge] = cell;
        previous_[edge] = none;
        next_[edge] = cells_[cell].first;
        if (next_[edge] != none) previous_[next_[edge]] = edge;
        cells_[cell].first = edge;
        for (; cell != none; cell = cells_[cell].parent) ++cells_[cell].count;
    }

    void remove(int edge) {
        int cell = cell_of_[edge];
        if (previous_[edge] != none) next_[previous_[edge]] = next_[edge];
        else cells_[cell].first = next_[edge];
        if (next_[edge] != none) previous_[next_[edge]] = previous_[edge];
        for (; cell != none; cell = cells_[cell].parent) --cells_[cell].count;
    }

    // The edge of least cost(edge), or -1 if all costs are infinite.
    template <class Cost> int cheapest(Point p, const Cost &cost) {
        best_ = std::numeric_limits<double>::infinity();
        best_edge_ = none;
        search(root, origin_, side_, p, cost);
        return best_edge_;
    }

  private:
    static constexpr int none = -1, root = 0;
    // In the smallest cells, all places cost practically the same. After this many, the rest is
    // skipped. Otherwise many equal points would take quadratic time.
    static constexpr int enough = 128;

    struct Cell {
        int parent;
        std::array<int, 4> child{none, none, none, none};
        int first = none;  // head of this cell's own list of edges
        int count = 0;     // edges here and below
    };

    static double outside(double value, double low, double side) {
        return std::max({low - value, value - (low + side), 0.0});
    }

    template <class Cost>
    void search(int cell, Point corner, double side, Point p, const Cost &cost) {
        // Nearest child first: a good place found early prunes most of the rest.
        const double half = side / 2;
        const int nearest = (p.x >= corner.x + half) + 2 * (p.y >= corner.y + half);
        for (const int quadrant : {nearest, nearest ^ 1, nearest ^ 2, nearest ^ 3}) {
            const int child = cells_[cell].child[quadrant];
            if (child == none || cells_[child].count == 0) continue;
            const Point at{corner.x + (quadrant & 1) * half, corner.y + (quadrant >> 1) * half};
            const double dx = outside(p.x, at.x, half), dy = outside(p.y, at.y, half);
            const double bound = scale_ * (2 * std::sqrt(dx * dx + dy * dy) - half) - slack_;
            if (bound < best_) search(child, at, half, p, cost);
        }
        int left = half < smallest_ ? enough : std::numeric_limits<int>::max();
        for (int edge = cells_[cell].first; edge != none && left > 0; edge = next_[edge], --left) {
            const double value = cost(edge);
            if (value < best_) {
                best_ = value;
                best_edge_ = edge;
            }
            if (best_ <= -slack_) return;  // nothing can be cheaper
        }
    }

    std::vector<Cell> cells_;
    std::vector<int> cell_of_, next_, previous_;
    Point origin_{};
    double side_ = 0, smallest_ = 0;  // of cells
    double scale_, slack_;
    double best_ = 0;
    int best_edge_ = none;
};

// The same by comparing all edges, for metrics without planar geometry.
class ScanEdgeIndex {
  public:
    explicit ScanEdgeIndex(std::size_t num_edges) : place_of_(num_edges) {}

    void add(int edge, Point, Point) {
        place_of_[edge] = edges_.size();
        edges_.push_back(edge);
    }

    void remove(int edge) {
        const int last = edges_.back();
        edges_[place_of_[edge]] = last;
        place_of_[last] = place_of_[edge];
        edges_.pop_back();
    }

    template <class Cost> int cheapest(Point, const Cost &cost) const {
        double best = std::numeric_limits<double>::infinity();
        int best_edge = -1;
        for (const int edge : edges_) {
            const double value = cost(edge);
            if (value < best) {
                best = value;
                best_edge = edge;
            }
        }
        return best_edge;
    }

  private:
    std::vector<int> edges_;
    std::vector<std::size_t> place_of_;
};

}  // namespace sil
