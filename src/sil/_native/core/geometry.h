// Distances between nodes, computed on the fly for every supported metric.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace sil {

enum class Metric { Euclidean, Euc2d, Ceil2d, Att, Geo, Haversine, Explicit };

// The mean radius of the earth, in metres.
constexpr double earth_radius = 6'371'008.8;

struct Point {
    double x, y;
};

// A bounding rectangle.
struct Bounds {
    Point low, high;

    explicit Bounds(Point first) : low(first), high(first) {}

    void include(Point p) {
        low = {std::fmin(low.x, p.x), std::fmin(low.y, p.y)};
        high = {std::fmax(high.x, p.x), std::fmax(high.y, p.y)};
    }

    double width() const { return high.x - low.x; }
    double height() const { return high.y - low.y; }
    double side() const { return std::fmax(width(), height()); }
};

// The bounding rectangle of at least one point.
inline Bounds bounds_of(const Point *points, std::size_t size) {
    Bounds bounds(points[0]);
    for (std::size_t i = 1; i < size; ++i) bounds.include(points[i]);
    return bounds;
}

inline double planar_distance(Point a, Point b) {
    const double dx = a.x - b.x, dy = a.y - b.y;
    return std::sqrt(dx * dx + dy * dy);
}

// Each metric is a functor. `dimensions` is the number of coordinates of `place`. The nodes whose
// places are nearest in a straight line are the nearest by the metric. 0 means no places.
//
// A planar metric satisfies cost(insertion) >= scale * e(insertion) - slack, where e is the
// Euclidean length of the same edges. This makes spatial pruning exact.
struct Planar {
    static constexpr bool planar = true;
    static constexpr int dimensions = 2;
    const Point *at;
    std::array<double, 2> place(int i) const { return {at[i].x, at[i].y}; }
};

struct EuclideanDistance : Planar {
    static constexpr double scale = 1, slack = 0;
    double operator()(int i, int j) const { return planar_distance(at[i], at[j]); }
};

struct Euc2dDistance : Planar {
    static constexpr double scale = 1, slack = 1.5;
    double operator()(int i, int j) const {
        return std::floor(planar_distance(at[i], at[j]) + 0.5);
    }
};

struct Ceil2dDistance : Planar {
    static constexpr double scale = 1, slack = 1;
    double operator()(int i, int j) const { return std::ceil(planar_distance(at[i], at[j])); }
};

struct AttDistance : Planar {
    static constexpr double scale = 0.31622776601683794, slack = 1;  // 1/sqrt(10)
    double operator()(int i, int j) const {
        const double dx = at[i].x - at[j].x, dy = at[i].y - at[j].y;
        return std::ceil(std::sqrt((dx * dx + dy * dy) / 10.0));
    }
};

struct GeoDistance {
    static constexpr bool planar = false;
    static constexpr int dimensions = 3;
    const Point *radians;                       // latitude, longitude
    std::array<double, 3> place(int i) const {  // on a sphere of radius 1
        const double ring = std::cos(radians[i].x);
        return {ring * std::cos(radians[i].y), ring * std::sin(radians[i].y),
                std::sin(radians[i].x)};
    }
    double operator()(int i, int j) const {
        const double q1 = std::cos(radians[i].y - radians[j].y);
        const double q2 = std::cos(radians[i].x - radians[j].x);
        const double q3 = std::cos(radians[i].x + radians[j].x);
        const double cosine = 0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3);
        // Rounding errors can leave [-1, 1] for equal or opposite points.
        return std::floor(6378.388 * std::acos(std::fmax(-1.0, std::fmin(1.0, cosine))) + 1.0);
    }
};

// Great circles on a sphere. The angle between two unit vectors follows from their chord or, beyond
// a right angle, from the chord to the opposite point: an arc sine is only accurate near 0.
struct HaversineDistance {
    static constexpr bool planar = false;
    static constexpr int dimensions = 3;
    const std::array<double, 3> *at;
    double radius;
    const std::array<double, 3> &place(int i) const { return at[i]; }
    double operator()(int i, int j) const {
        const auto &a = at[i], &b = at[j];
        const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
        const double square = x * x + y * y + z * z;
        if (square <= 2) return 2 * radius * std::asin(std::sqrt(square) / 2);
        const double u = a[0] + b[0], v = a[1] + b[1], w = a[2] + b[2];
        const double half_turn = 3.14159265358979323846;
        return radius * (half_turn - 2 * std::asin(std::sqrt(u * u + v * v + w * w) / 2));
    }
};

struct ExplicitDistance {
    static constexpr bool planar = false;
    static constexpr int dimensions = 0;
    const double *matrix;
    std::size_t stride;
    const int *row;  // of each node
    double operator()(int i, int j) const { return matrix[row[i] * stride + row[j]]; }
};

// The nodes of one problem. The matrix, which may be large, is not copied.
class Geometry {
  public:
    // `detour` multiplies the distances of Haversine; other metrics ignore it.
    Geometry(const double *coords, const double *matrix, std::size_t size, Metric metric,
             double detour = 1);

    // Keeps the owner of the matrix alive.
    void keep(std::shared_ptr<const void> owner) { owner_ = std::move(owner); }

    // Some of the nodes, renumbered from 0. Work on few of many nodes then stays in the cache.
    Geometry subset(const std::vector<std::int32_t> &nodes) const;

    std::size_t size() const { return std::max({points_.size(), places_.size(), rows_.size()}); }
    bool is_planar() const;
    bool has_places() const { return metric_ != Metric::Explicit; }
    const Point *points() const { return points_.data(); }

    // Calls `f` with the distance functor of this problem's metric.
    template <class F> decltype(auto) visit(F &&f) const {
        switch (metric_) {
        case Metric::Euclidean: return f(EuclideanDistance{{points_.data()}});
        case Metric::Euc2d: return f(Euc2dDistance{{points_.data()}});
        case Metric::Ceil2d: return f(Ceil2dDistance{{points_.data()}});
        case Metric::Att: return f(AttDistance{{points_.data()}});
        case Metric::Geo: return f(GeoDistance{points_.data()});
        case Metric::Haversine: return f(HaversineDistance{places_.data(), radius_});
        case Metric::Explicit: return f(ExplicitDistance{matrix_, stride_, rows_.data()});
        }
        throw std::logic_error("unknown metric");
    }

  private:
    std::vector<Point> points_;                  // planar coordinates, or radians for GEO
    std::vector<std::array<double, 3>> places_;  // on the unit sphere, for HAVERSINE
    std::vector<int> rows_;                      // of the matrix, for EXPLICIT
    const double *matrix_;
    std::size_t stride_;
    Metric metric_;
    double radius_;
    std::shared_ptr<const void> owner_;
};

}  // namespace sil
