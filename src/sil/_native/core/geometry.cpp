#include "core/geometry.h"

#include <numeric>
#include <type_traits>

namespace sil {
namespace {

// TSPLIB writes geographical coordinates as DDD.MM and fixes this value of pi.
double geo_radians(double coordinate) {
    const double degrees = std::trunc(coordinate);
    const double minutes = coordinate - degrees;
    return 3.141592 * (degrees + 5.0 * minutes / 3.0) / 180.0;
}

}  // namespace

Geometry::Geometry(const double *coords, const double *matrix, std::size_t size, Metric metric)
    : matrix_(matrix), stride_(size), metric_(metric) {
    if (metric == Metric::Explicit) {
        rows_.resize(size);
        std::iota(rows_.begin(), rows_.end(), 0);
        return;
    }
    points_.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
        points_[i] = {coords[2 * i], coords[2 * i + 1]};
        if (metric == Metric::Geo)
            points_[i] = {geo_radians(points_[i].x), geo_radians(points_[i].y)};
    }
}

bool Geometry::is_planar() const {
    return visit([](const auto &distance) { return std::decay_t<decltype(distance)>::planar; });
}

Geometry Geometry::subset(const std::vector<std::int32_t> &nodes) const {
    Geometry some(nullptr, matrix_, 0, metric_);
    some.stride_ = stride_;
    some.owner_ = owner_;
    for (const int node : nodes)
        if (metric_ == Metric::Explicit) some.rows_.push_back(rows_[node]);
        else some.points_.push_back(points_[node]);
    return some;
}

}  // namespace sil
