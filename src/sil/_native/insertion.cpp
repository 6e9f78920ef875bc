#include "insertion.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "edge_index.h"

namespace sil {
namespace {

template <class Distance> class Insertion {
  public:
    Insertion(const Geometry &geometry, Distance distance, const std::vector<int> &order,
              const std::vector<std::int64_t> &demand, std::int64_t capacity)
        : geometry_(geometry), distance_(distance), demand_(demand), capacity_(capacity),
          routed_(!demand.empty()),
          // Each route passes through a depot node of its own, numbered from size() on, so that
          // every edge is named by the node it leaves. There are at most as many as customers.
          next_(geometry.size() + (routed_ ? order.size() : 0)), route_(next_.size()),
          length_(next_.size()), index_(make_index(geometry, next_.size())) {
        if (routed_) {
            smallest_ = std::numeric_limits<std::int64_t>::max();
            for (const int node : order) smallest_ = std::min(smallest_, demand[node]);
        }
    }

    // Opens a closed route; for TSP, the whole tour, of one node.
    void open(int node) {
        const int route = static_cast<int>(room_.size());
        room_.push_back(capacity_);
        if (!routed_) {
            anchors_.push_back(node);
            route_[node] = route;
            link(node, node);
            return;
        }
        const int depot = static_cast<int>(geometry_.size()) + route;
        anchors_.push_back(depot);
        route_[depot] = route;
        link(depot, depot);
        insert_after(depot, node);
    }

    void insert(int node) {
        const auto cost = [&](int edge) {
            if (routed_ && demand_[node] > room_[route_[edge]])
                return std::numeric_limits<double>::infinity();
            return distance_(location(edge), node) + distance_(node, location(next_[edge])) -
                   length_[edge];
        };
        const int place = index_.cheapest(point(node), cost);
        if (place < 0) open(node);
        else insert_after(place, node);
    }

    Routes routes(bool complete) const {
        Routes result;
        result.complete = complete;
        for (const int anchor : anchors_) {
            int node = routed_ ? next_[anchor] : anchor;
            bool first = true;
            do {
                result.nodes.push_back(node);
                result.first.push_back(first);
                first = false;
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
        else
            return Index(edges);
    }

    Point point(int node) const {
        if constexpr (Distance::planar) return geometry_.points()[node];
        else return {};
    }

    int location(int node) const {
        return node < static_cast<int>(geometry_.size()) ? node : 0;
    }

    void link(int from, int to) {
        next_[from] = to;
        length_[from] = from == to ? 0 : distance_(location(from), location(to));
        index_.add(from, point(location(from)), point(location(to)));
    }

    void insert_after(int place, int node) {
        const int route = route_[place], after = next_[place];
        index_.remove(place);
        route_[node] = route;
        link(place, node);
        link(node, after);
        if (!routed_) return;
        room_[route] -= demand_[node];
        if (room_[route] < smallest_) close(route);
    }

    // A full route takes nobody any more: do not look at it again.
    void close(int route) {
        int node = anchors_[route];
        do {
            index_.remove(node);
            node = next_[node];
        } while (node != anchors_[route]);
    }

    const Geometry &geometry_;
    Distance distance_;
    const std::vector<std::int64_t> &demand_;
    std::int64_t capacity_;
    std::int64_t smallest_ = 0;
    bool routed_;
    std::vector<int> next_, route_;
    std::vector<double> length_;  // of the edge that leaves a node
    std::vector<int> anchors_;    // a node of each route: its depot, or for TSP the first node
    std::vector<std::int64_t> room_;
    Index index_;
};

}  // namespace

Routes insertion(const Geometry &geometry, const std::vector<int> &order,
                 const std::vector<std::int64_t> &demand, std::int64_t capacity,
                 std::size_t num_seeds, Interrupt &interrupt) {
    return geometry.visit([&](auto distance) {
        Insertion<decltype(distance)> builder(geometry, distance, order, demand, capacity);
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (interrupt.is_set()) return builder.routes(false);
            if (i < num_seeds) builder.open(order[i]);
            else builder.insert(order[i]);
        }
        return builder.routes(true);
    });
}

}  // namespace sil
