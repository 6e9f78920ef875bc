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
    std::vector<Usage> usage;     // of each
    std::vector<int> neighbours;  // (n, width): near others, nearest first; -1 ends a shorter list
    int width;
    std::vector<char> held;  // who stay next to the depot, at most one per route
};

// Customers are 0 to n - 1. Route r is a ring through its own copy of the depot, node n + r. The
// distance functor must have a depot for each of `most_routes`. Routes that are added must satisfy
// the limits and the held customers.
template <class Distance> class RouteState {
  public:
    RouteState(Distance distance, Customers customers, const Limits &limits)
        : length_(distance), size_(static_cast<int>(customers.usage.size())),
          customers_(std::move(customers)), limits_(limits), next_(size_ + most_routes(size_)),
          previous_(next_.size()), edge_(next_.size(), 0), route_(size_, -1),
          usage_(most_routes(size_)), count_(usage_.size(), 0) {
        std::iota(next_.begin(), next_.end(), 0);
        previous_ = next_;
        for (int route = most_routes(size_) - 1; route >= 0; --route) unused_.push_back(route);
    }

    int size() const { return size_; }
    const Limits &limits() const { return limits_; }
    double length(int a, int b) const { return length_(a, b); }

    const Usage &usage_of(int customer) const { return customers_.usage[customer]; }
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
    const Usage &usage(int route) const { return usage_[route]; }
    int num_routes() const { return static_cast<int>(usage_.size() - unused_.size()); }

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
        edge_[a] = length_(a, b);
    }

    // Inserts a customer after a node of a route.
    void link(int customer, int after, int route) {
        const int before = next_[after];
        join(after, customer);
        join(customer, before);
        route_[customer] = route;
        usage_[route] += usage_of(customer);
        ++count_[route];
    }

    void unlink(int customer) {
        const int route = route_[customer];
        join(previous_[customer], next_[customer]);
        route_[customer] = -1;
        usage_[route] -= usage_of(customer);
        --count_[route];
    }

    // Replaces the customers of a route.
    void set_route(int route, const std::vector<int> &customers) {
        int last = depot(route);
        usage_[route] = {};
        count_[route] = static_cast<int>(customers.size());
        for (const int customer : customers) {
            join(last, customer);
            route_[customer] = route;
            usage_[route] += usage_of(customer);
            last = customer;
        }
        join(last, depot(route));
    }

    // Calls open() for each route, and then body(customer) for each of its customers in order.
    template <class Open, class Body> void visit(const Open &open, const Body &body) const {
        for (int route = 0; route < most_routes(size_); ++route) {
            if (next_[depot(route)] == depot(route)) continue;
            open();
            for (int node = next_[depot(route)]; !is_depot(node); node = next_[node]) body(node);
        }
    }

  private:
    Distance length_;
    int size_;
    Customers customers_;
    Limits limits_;
    std::vector<int> next_, previous_;  // of customers, then of depots
    std::vector<double> edge_;
    std::vector<int> route_;    // of each customer
    std::vector<Usage> usage_;  // of each route
    std::vector<int> count_, unused_;
};

}  // namespace sil
