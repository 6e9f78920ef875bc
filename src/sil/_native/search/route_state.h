// The routes of a group of customers, which moves read and change.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "core/limits.h"
#include "search/neighbour_lists.h"

namespace sil {

// At worst, each customer has its own route. In addition, the routes that one ruin empties are kept
// until it is accepted.
inline int most_routes(int customers) { return customers + 64; }

inline int below(std::mt19937_64 &random, int bound) {
    return static_cast<int>(random() % static_cast<unsigned>(bound));
}

// The customers of a group, renumbered.
struct Customers {
    std::vector<std::int64_t> load;  // of each
    std::vector<double> service;     // of each, as in `Usage`; only if lengths are limited
    std::vector<int> neighbours;  // (n, width): near others, nearest first; -1 ends a shorter list
    int width;
    std::vector<char> held;  // who stay next to the depot, at most one per route
};

// Customers are 0 to n - 1. Route r is a ring through its own copy of the depot, node n + r. The
// distance functor must have a depot for each of `most_routes`. Routes that are added must satisfy
// the limits and the held customers.
template <class Distance> class RouteState {
  public:
    // There may be at most `allowed` routes.
    RouteState(Distance distance, Customers customers, const Limits &limits, int allowed)
        : distance_(distance), size_(static_cast<int>(customers.load.size())),
          customers_(std::move(customers)), limits_(limits), is_bounded_(limits.bounded()),
          allowed_(allowed), next_(size_ + most_routes(size_)), previous_(next_.size()),
          edge_(next_.size(), 0), route_(size_, -1), load_(most_routes(size_), 0),
          length_(load_.size(), 0), service_(load_.size(), 0), count_(load_.size(), 0) {
        std::iota(next_.begin(), next_.end(), 0);
        previous_ = next_;
        for (int route = most_routes(size_) - 1; route >= 0; --route) unused_.push_back(route);
    }

    int size() const { return size_; }
    const Limits &limits() const { return limits_; }
    double length(int a, int b) const { return distance_(a, b); }

    std::int64_t load_of(int customer) const { return customers_.load[customer]; }
    double service_of(int customer) const { return is_bounded_ ? customers_.service[customer] : 0; }
    Usage usage_of(int customer) const { return {load_of(customer), 0, service_of(customer)}; }
    int width() const { return customers_.width; }
    const std::vector<int> &neighbours() const { return customers_.neighbours; }
    const int *neighbours_of(int customer) const {
        return customers_.neighbours.data() + static_cast<std::size_t>(customer) * width();
    }
    bool is_held(int node) const { return node < size_ && customers_.held[node]; }

    // Customers and depots.
    bool is_depot(int node) const { return node >= size_; }
    int next(int node) const { return next_[node]; }
    int previous(int node) const { return previous_[node]; }
    double edge(int node) const { return edge_[node]; }  // length to the next node
    int route_of(int node) const { return is_depot(node) ? node - size_ : route_[node]; }

    // Routes. A customer that is removed is in route -1.
    int depot(int route) const { return size_ + route; }
    int count(int route) const { return count_[route]; }  // of customers
    std::int64_t load(int route) const { return load_[route]; }
    Usage usage(int route) const { return {load_[route], length_[route], service_[route]}; }
    int num_routes() const { return static_cast<int>(load_.size() - unused_.size()); }

    // Whether the edge after a node is the only one that links a held customer to the depot.
    bool is_tied(int node) const {
        const int behind = next_[node];
        if (is_depot(node)) return is_held(behind) && !is_depot(next_[behind]);
        return is_depot(behind) && is_held(node) && !is_depot(previous_[node]);
    }

    // Whether a route has a held customer.
    bool holds(int route) const {
        return is_held(next_[depot(route)]) || is_held(previous_[depot(route)]);
    }

    bool may_open() const { return num_routes() < allowed_; }

    // From now on, there may not be more routes than now.
    void allow_no_more() { allowed_ = num_routes(); }

    int open_route() {
        const int route = unused_.back();
        unused_.pop_back();
        return route;
    }

    void close_route(int route) { unused_.push_back(route); }

    void add_route(const int *customers, int count) {
        const int route = open_route();
        for (int i = 0; i < count; ++i) link(customers[i], previous_[depot(route)], route);
    }

    // Makes b follow a.
    void join(int a, int b) {
        next_[a] = b;
        previous_[b] = a;
        edge_[a] = distance_(a, b);
    }

    // Inserts a customer after a node of a route.
    void link(int customer, int after, int route) {
        const int before = next_[after];
        const double edge = edge_[after];
        join(after, customer);
        join(customer, before);
        route_[customer] = route;
        load_[route] += load_of(customer);
        if (is_bounded_) {
            length_[route] += edge_[after] + edge_[customer] - edge;
            service_[route] += service_of(customer);
        }
        ++count_[route];
    }

    void unlink(int customer) {
        const int route = route_[customer], before = previous_[customer];
        const double edges = edge_[before] + edge_[customer];
        join(before, next_[customer]);
        route_[customer] = -1;
        load_[route] -= load_of(customer);
        if (is_bounded_) {
            length_[route] += edge_[before] - edges;
            service_[route] -= service_of(customer);
        }
        --count_[route];
    }

    // Replaces the customers of a route.
    void set_route(int route, const std::vector<int> &customers) {
        int last = depot(route);
        Usage usage;
        count_[route] = static_cast<int>(customers.size());
        for (const int customer : customers) {
            join(last, customer);
            route_[customer] = route;
            usage += usage_of(customer) + Usage::path(edge_[last]);
            last = customer;
        }
        join(last, depot(route));
        load_[route] = usage.load;
        length_[route] = usage.length + edge_[last];
        service_[route] = usage.service;
    }

    // Whoever joins nodes of a route says by how much it is longer then.
    void lengthen(int route, double change) { length_[route] += change; }

    // Calls open() for each route, and then body(customer) for each of its customers in order.
    template <class Open, class Body> void visit(const Open &open, const Body &body) const {
        for (int route = 0; route < most_routes(size_); ++route) {
            if (next_[depot(route)] == depot(route)) continue;
            open();
            for (int node = next_[depot(route)]; !is_depot(node); node = next_[node]) body(node);
        }
    }

  private:
    Distance distance_;
    int size_;
    Customers customers_;
    Limits limits_;
    bool is_bounded_;
    int allowed_;
    std::vector<int> next_, previous_;  // of customers, then of depots
    std::vector<double> edge_;
    std::vector<int> route_;  // of each customer
    // Of each route; lengths and service times only if they are limited.
    std::vector<std::int64_t> load_;
    std::vector<double> length_, service_;
    std::vector<int> count_, unused_;
};

}  // namespace sil
