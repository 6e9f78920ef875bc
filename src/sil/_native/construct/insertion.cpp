#include "construct/insertion.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "construct/edge_index.h"

namespace sil {
namespace {

template <class Distance> class Insertion {
  public:
    Insertion(const Instance &instance, Distance distance, const std::vector<std::int32_t> &order)
        : instance_(instance), distance_(distance), routed_(instance.has_depot()),
          // Each route has its own depot node, numbered from size() on, so that the node where an
          // edge begins identifies the edge. There are at most as many as customers.
          next_(instance.size() + (routed_ ? order.size() : 0)), route_(next_.size()),
          length_(next_.size()), index_(make_index(instance.geometry(), next_.size())) {
        if (!routed_) return;
        least_ = instance.usage(order[0]);
        for (const int node : order) least_ = least_of(least_, instance.usage(node));
    }

    // Opens a route with one node; for TSP, the tour.
    void open(int node) {
        const int route = static_cast<int>(anchors_.size());
        usage_.push_back({});
        if (!routed_) {
            anchors_.push_back(node);
            route_[node] = route;
            link(node, node);
            return;
        }
        const int depot = static_cast<int>(instance_.size()) + route;
        anchors_.push_back(depot);
        route_[depot] = route;
        link(depot, depot);
        insert_after(depot, node);
    }

    void insert(int node) {
        const Usage more = routed_ ? instance_.usage(node) : Usage{};
        const auto cost = [&](int edge) {
            constexpr double never = std::numeric_limits<double>::infinity();
            if (routed_ && !may_take(route_[edge], more)) return never;
            const double added = distance_(location(edge), node) +
                                 distance_(node, location(next_[edge])) - length_[edge];
            const bool fits = !routed_ || may_take(route_[edge], more + Usage::path(added));
            return fits ? added : never;
        };
        const int place = index_.cheapest(point(node), cost);
        if (place < 0) open(node);
        else insert_after(place, node);
    }

    Routes routes() const {
        Routes result;
        for (const int anchor : anchors_) {
            result.open();
            int node = routed_ ? next_[anchor] : anchor;
            do {
                result.nodes.push_back(node);
                node = next_[node];
            } while (node != anchor);
        }
        return result;
    }

  private:
    using Index = std::conditional_t<Distance::planar, PlanarEdgeIndex, ScanEdgeIndex>;

    static Index make_index(const Geometry &geometry, std::size_t edges) {
        if constexpr (Distance::planar)
            return {geometry.points(), geometry.size(), edges, Distance::scale, Distance::slack};
        else return Index(edges);
    }

    Point point(int node) const {
        if constexpr (Distance::planar) return distance_.at[node];
        else return {};
    }

    int location(int node) const { return node < static_cast<int>(instance_.size()) ? node : 0; }

    bool may_take(int route, const Usage &more) const {
        return instance_.limits().allow(usage_[route] + more);
    }

    void link(int from, int to) {
        next_[from] = to;
        length_[from] = from == to ? 0 : distance_(location(from), location(to));
        index_.add(from, point(location(from)), point(location(to)));
    }

    void insert_after(int place, int node) {
        const int route = route_[place], after = next_[place];
        const double before = length_[place];
        index_.remove(place);
        route_[node] = route;
        link(place, node);
        link(node, after);
        if (!routed_) return;
        const double added = length_[place] + length_[node] - before;
        usage_[route] += instance_.usage(node) + Usage::path(added);
        if (!may_take(route, least_)) close(route);
    }

    // A full route can take no customer, so its edges are removed from the index.
    void close(int route) {
        int node = anchors_[route];
        do {
            index_.remove(node);
            node = next_[node];
        } while (node != anchors_[route]);
    }

    const Instance &instance_;
    Distance distance_;
    bool routed_;
    Usage least_;  // smallest of any customer
    std::vector<int> next_, route_;
    std::vector<double> length_;  // of the edge that begins at each node
    std::vector<int> anchors_;    // a node of each route: its depot, or for TSP the first node
    std::vector<Usage> usage_;    // of each route
    Index index_;
};

}  // namespace

std::optional<Routes> insertion(const Instance &instance, const std::vector<std::int32_t> &order,
                                std::size_t num_seeds, const Interrupt &interrupt) {
    if (order.empty()) return Routes{};
    return instance.geometry().visit([&](auto distance) -> std::optional<Routes> {
        Insertion<decltype(distance)> builder(instance, distance, order);
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (interrupt.is_set()) return std::nullopt;
            if (i < num_seeds) builder.open(order[i]);
            else builder.insert(order[i]);
        }
        return builder.routes();
    });
}

}  // namespace sil
