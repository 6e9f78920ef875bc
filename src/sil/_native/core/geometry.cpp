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

// Where decimal degrees lie on the unit sphere.
std::array<double, 3> on_sphere(double latitude, double longitude) {
    const double degree = 3.14159265358979323846 / 180;
    const double ring = std::cos(latitude * degree);
    return {ring * std::cos(longitude * degree), ring * std::sin(longitude * degree),
            std::sin(latitude * degree)};
}

}  // namespace

Geometry::Geometry(const double *coords, const double *matrix, std::size_t size, Metric metric,
                   double detour)
    : matrix_(matrix), stride_(size), metric_(metric), radius_(earth_radius * detour) {
    if (metric == Metric::Explicit) {
        rows_.resize(size);
        std::iota(rows_.begin(), rows_.end(), 0);
        return;
    }
    if (metric == Metric::Haversine) {
        for (std::size_t i = 0; i < size; ++i)
            places_.push_back(on_sphere(coords[2 * i], coords[2 * i + 1]));
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
    some.radius_ = radius_;
    for (const int node : nodes)
        if (metric_ == Metric::Explicit) some.rows_.push_back(rows_[node]);
        else if (metric_ == Metric::Haversine) some.places_.push_back(places_[node]);
        else some.points_.push_back(points_[node]);
    return some;
}

}  // namespace sil
