// A problem in native code: made once, and passed to every algorithm.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/geometry.h"
#include "core/interrupt.h"
#include "core/limits.h"
#include "core/neighbours.h"
#include "core/routes.h"

namespace sil {

// A problem with demands has a depot, node 0, where all routes begin and end. A problem without is
// a TSP.
class Instance {
  public:
    // `layout` says where nodes lie on the map. Empty if the geometry is planar. `service` are
    // service times as in `Usage`. Empty if there are none.
    Instance(Geometry geometry, std::vector<Point> layout, std::vector<std::int64_t> demand,
             std::vector<double> service, Limits limits);

    std::size_t size() const { return geometry_.size(); }
    // Whether the distances are those of places on a map, and not of a matrix.
    bool has_places() const { return geometry_.has_places(); }
    bool has_depot() const { return !demand_.empty(); }
    const Geometry &geometry() const { return geometry_; }
    const Point *layout() const { return layout_.empty() ? geometry_.points() : layout_.data(); }
    const Bounds &bounds() const { return bounds_; }  // of the layout
    const Limits &limits() const { return limits_; }
    // With a depot: what a node uses, without any edge, and what a route to it alone uses.
    Usage usage(int node) const {
        return {demand_[node], 0, service_.empty() ? 0 : service_[node]};
    }
    Usage alone(int node) const { return usage(node) + Usage::path(2 * distance(0, node)); }

    // For single distances. Algorithms visit the geometry instead.
    double distance(int a, int b) const {
        return a == b ? 0 : geometry_.visit([&](const auto &distance) { return distance(a, b); });
    }

    // The `count` nearest other nodes of each node, including the depot; nullopt if interrupted.
    // The widest lists so far are kept, so that all algorithms share them.
    std::optional<Neighbours> nearest(std::size_t count, int threads, Interrupt &interrupt) const;

    // Announces that lists of length `count` will be needed, so that no shorter ones are found first.
    void expect_nearest(std::size_t count) const;

    // The same problem, renumbered: node i of the result is node `order[i]` of this one.
    Instance renumbered(const std::vector<std::int32_t> &order) const;

    // The same nodes with other demands.
    Instance with_demand(std::vector<std::int64_t> demand) const;

    // Length of a tour, or total length of all routes.
    double cost(const Routes &routes) const;

  private:
    struct Known;
    Geometry geometry_;
    std::vector<Point> layout_;
    Bounds bounds_;
    std::vector<std::int64_t> demand_;
    std::vector<double> service_;
    Limits limits_;
    std::shared_ptr<Known> known_;  // about the geometry, so copies with other demands share it
};

}  // namespace sil
