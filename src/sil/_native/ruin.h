// Search on routes by ruin and recreate: slack induction by string removals (Christiaens and Vanden
// Berghe, 2020), with insertion only beside near neighbours, so that an iteration costs the same
// whatever the size of the problem.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "annealing.h"
#include "interrupt.h"
#include "neighbour_lists.h"

namespace sil {

// At worst each customer has a route of its own, and as many as one ruin empties are kept until it
// is accepted.
inline int most_routes(int customers) { return customers + 64; }

// Customers are 0 to n - 1. Route r is a ring through the depot, which is node n + r there: the
// distance functor must know a depot for each of `most_routes`.
template <class Distance> class Ruin {
  public:
    // `neighbours` lists `width` near customers of each, nearest first; -1 ends a shorter list.
    // A customer that is `held` stays beside the depot, and never in one route with another such;
    // the routes added must be so.
    Ruin(Distance distance, std::vector<std::int64_t> demand, std::int64_t capacity,
         std::vector<int> neighbours, int width, std::vector<char> held)
        : length_(distance), size_(static_cast<int>(demand.size())), demand_(std::move(demand)),
          capacity_(capacity), neighbours_(std::move(neighbours)), width_(width),
          held_(std::move(held)),
          next_(size_ + most_routes(size_)), previous_(next_.size()), route_(size_, -1),
          load_(most_routes(size_), 0), count_(load_.size(), 0), ruined_(load_.size(), 0) {
        std::iota(next_.begin(), next_.end(), 0);
        previous_ = next_;
        for (int route = most_routes(size_) - 1; route >= 0; --route) unused_.push_back(route);
        for (int customer = 0; customer < size_; ++customer)
            from_depot_.push_back(length_(size_, customer));
        edge_.resize(next_.size(), 0);
        near_lengths_ = neighbour_lengths<float>(length_, neighbours_, width_);
    }

    void add_route(const int *customers, int count) {
        const int route = open_route();
        for (int i = 0; i < count; ++i) link(customers[i], previous_[size_ + route], route);
    }

    // Accepts what makes the routes longer with a chance that falls with the temperature.
    void iterate(std::size_t iterations, double temperature, std::mt19937_64 &random,
                 const Interrupt &interrupt) {
        until_blink_ = draw_blink(random);
        for (; iterations > 0 && !interrupt.is_set(); --iterations) {
            change_ = 0;
            remove_strings(random);
            insert_removed(random);
            if (annealing_accepts(change_, temperature, random)) settle();
            else undo();
            for (int i = 0; i < exchanges; ++i) exchange(temperature, random);
        }
    }

    // Calls body(customer, begins_route) for all customers, route by route.
    template <class Body> void visit(Body &&body) const {
        for (int route = 0; route < most_routes(size_); ++route) {
            const int depot = size_ + route;
            for (int node = next_[depot]; node != depot; node = next_[node])
                body(node, previous_[node] == depot);
        }
    }

  private:
    static constexpr double mean_removed = 10, longest_string = 10, blink_rate = 0.01;
    static constexpr double split_chance = 0.5, widen_chance = 0.01;
    static constexpr int exchanges = 10;       // proposed after each ruin
    static constexpr int exchange_width = 10;  // neighbours that one is drawn from

    struct Removal {
        int customer, previous, route;
    };

    static int below(std::mt19937_64 &random, int bound) {
        return static_cast<int>(random() % static_cast<unsigned>(bound));
    }
    // How many positions are looked at until one is passed over.
    static int draw_blink(std::mt19937_64 &random) {
        return 1 + static_cast<int>(std::log(uniform(random)) / std::log1p(-blink_rate));
    }

    int open_route() {
        const int route = unused_.back();
        unused_.pop_back();
        return route;
    }

    void close_route(int route) { unused_.push_back(route); }

    bool is_held(int node) const { return node < size_ && held_[node]; }

    // Whether the edge behind a node is all that keeps a held customer beside the depot.
    bool is_tied(int node) const {
        const int behind = next_[node];
        if (node >= size_) return is_held(behind) && next_[behind] < size_;
        return behind >= size_ && is_held(node) && previous_[node] < size_;
    }

    // Makes b follow a.
    void join(int a, int b) {
        next_[a] = b;
        previous_[b] = a;
        edge_[a] = length_(a, b);
    }

    void link(int customer, int after, int route) {
        const int before = next_[after];
        join(after, customer);
        join(customer, before);
        route_[customer] = route;
        load_[route] += demand_[customer];
        ++count_[route];
    }

    void unlink(int customer) {
        const int route = route_[customer];
        join(previous_[customer], next_[customer]);
        route_[customer] = -1;
        load_[route] -= demand_[customer];
        --count_[route];
    }

    void remove(int customer) {
        const int previous = previous_[customer];
        removed_.push_back({customer, previous, route_[customer]});
        change_ -= edge_[previous] + edge_[customer];
        unlink(customer);
        change_ += edge_[previous];
    }

    // Proposes to exchange the edges behind a random customer and near one of its neighbours, so
    // that the two are joined: 2-opt inside a route, tails between two (2-opt*).
    void exchange(double temperature, std::mt19937_64 &random) {
        if (width_ == 0) return;
        const int a = below(random, size_);
        const int other = neighbours_[static_cast<std::size_t>(a) * width_ +
                                      below(random, std::min(width_, exchange_width))];
        if (other < 0) return;
        const bool same = route_[a] == route_[other];
        const bool crossed = !same && random() % 2;
        // Joined, a-a' and b-b' become a-b and a'-b'; crossed, a-b' and b-a'.
        const int b = crossed ? previous_[other] : other;
        const int behind_a = next_[a], behind_b = next_[b];
        if (behind_a == b || behind_b == a || is_tied(a) || is_tied(b)) return;
        const double added = crossed ? length_(a, behind_b) + length_(b, behind_a)
                                     : length_(a, b) + length_(behind_a, behind_b);
        if (!annealing_accepts(added - edge_[a] - edge_[b], temperature, random)) return;
        if (same) reverse_between(a, b);
        else exchange_tails(a, b, route_[a], route_[other], crossed);
    }

    bool holds(int depot) const { return is_held(next_[depot]) || is_held(previous_[depot]); }

    // The customers from `first` on, forward or backward, until the depot or `end`.
    void append(std::vector<int> &to, int first, bool forward, int end) const {
        for (int node = first; node < size_ && node != end;
             node = forward ? next_[node] : previous_[node])
            to.push_back(node);
    }

    std::int64_t load_up_to(int node) const {
        std::int64_t load = 0;
        for (; node < size_; node = previous_[node]) load += demand_[node];
        return load;
    }

    // Divides two routes behind a and behind b, which may be a depot, and joins their parts
    // crosswise, or both heads and both tails, if the capacity allows.
    void exchange_tails(int a, int b, int route, int other_route, bool crossed) {
        const std::int64_t filled = load_up_to(a), other_filled = load_up_to(b);
        const std::int64_t load =
            filled + (crossed ? load_[other_route] - other_filled : other_filled);
        if (load > capacity_ || load_[route] + load_[other_route] - load > capacity_) return;
        const int depot = size_ + route, other_depot = size_ + other_route;
        if (holds(depot) && holds(other_depot)) return;
        const int behind_a = next_[a], behind_b = next_[b];
        first_.clear();
        second_.clear();
        append(first_, next_[depot], true, behind_a);
        if (crossed) {
            append(first_, behind_b, true, other_depot);
            append(second_, next_[other_depot], true, behind_b);
            append(second_, behind_a, true, depot);
        } else {
            append(first_, b, false, other_depot);
            append(second_, previous_[depot], false, a);
            append(second_, behind_b, true, other_depot);
        }
        set_route(route, first_);
        set_route(other_route, second_);
        if (second_.empty()) close_route(other_route);
    }

    void set_route(int route, const std::vector<int> &customers) {
        const int depot = size_ + route;
        int last = depot;
        load_[route] = 0;
        count_[route] = static_cast<int>(customers.size());
        for (const int customer : customers) {
            join(last, customer);
            route_[customer] = route;
            load_[route] += demand_[customer];
            last = customer;
        }
        join(last, depot);
    }

    // Reverses the path between the edges behind a and behind b, whichever comes first.
    void reverse_between(int a, int b) {
        int node = a;
        while (node != b && node < size_) node = next_[node];
        if (node != b) std::swap(a, b);
        const int first = next_[a], end = next_[b];
        int last = a;
        for (node = b; node != a;) {
            const int following = previous_[node];
            join(last, node);
            last = node;
            node = following;
        }
        join(first, end);
    }

    // Takes strings of customers out of routes that come near a random customer.
    void remove_strings(std::mt19937_64 &random) {
        const int seed = below(random, size_);
        const double mean_count = static_cast<double>(size_) / (load_.size() - unused_.size());
        const double longest = std::min(longest_string, mean_count);
        const double most = 4 * mean_removed / (1 + longest) - 1;
        int strings = static_cast<int>(uniform(random) * most) + 1;
        ++stamp_;
        const int *near = neighbours_.data() + static_cast<std::size_t>(seed) * width_;
        remove_string(seed, longest, random);
        for (int k = 0; --strings > 0 && k < width_ && near[k] >= 0; ++k) {
            while (k < width_ && near[k] >= 0 &&
                   (route_[near[k]] < 0 || ruined_[route_[near[k]]] == stamp_))
                ++k;
            if (k == width_ || near[k] < 0) break;
            remove_string(near[k], longest, random);
        }
    }

    void remove_string(int customer, double longest, std::mt19937_64 &random) {
        const int route = route_[customer], depot = size_ + route, count = count_[route];
        ruined_[route] = stamp_;
        const int limit = static_cast<int>(std::min<double>(longest, count));
        const int removed = 1 + below(random, std::max(limit, 1));
        // A split string keeps some customers in its middle.
        int kept = 0;
        if (removed > 1 && removed < count && uniform(random) < split_chance) {
            kept = 1;
            while (removed + kept < count && uniform(random) < widen_chance) ++kept;
        }
        const int span = removed + kept;
        int before = 0, behind = 0;  // customers of the route on either side, as far as they count
        for (int node = previous_[customer]; node != depot && before < span - 1; ++before)
            node = previous_[node];
        for (int node = next_[customer]; node != depot && behind < span - 1; ++behind)
            node = next_[node];
        const int least = std::max(0, span - 1 - behind);
        int node = customer;
        for (int back = least + below(random, before - least + 1); back > 0; --back)
            node = previous_[node];
        const int kept_from = kept ? 1 + below(random, removed - 1) : span;
        for (int i = 0; i < span; ++i) {
            const int following = next_[node];
            if ((i < kept_from || i >= kept_from + kept) && !held_[node]) remove(node);
            node = following;
        }
    }

    // Puts the removed customers back, each at the cheapest place beside a neighbour.
    void insert_removed(std::mt19937_64 &random) {
        order_.clear();
        for (const Removal &removal : removed_) order_.push_back(removal.customer);
        const int criterion = below(random, 11);
        std::shuffle(order_.begin(), order_.end(), random);
        const auto sort_by = [&](auto key) {
            std::sort(order_.begin(), order_.end(), [&](int a, int b) { return key(a) < key(b); });
        };
        if (criterion < 4) sort_by([&](int c) { return -demand_[c]; });
        else if (criterion < 6) sort_by([&](int c) { return -from_depot_[c]; });
        else if (criterion < 7) sort_by([&](int c) { return from_depot_[c]; });
        for (const int customer : order_) insert(customer, random);
    }

    void insert(int customer, std::mt19937_64 &random) {
        double least = 2 * from_depot_[customer];
        int after = -1;
        const std::size_t begin = static_cast<std::size_t>(customer) * width_;
        const int *near = neighbours_.data() + begin;
        for (int k = 0; k < width_ && near[k] >= 0; ++k) {
            const int other = near[k], route = route_[other];
            if (route < 0 || load_[route] + demand_[customer] > capacity_) continue;
            // A place costs its two legs less its edge. If `other` is its nearer end, that is at
            // least this, by any metric and without the triangle inequality; if its other end is
            // nearer, that one is in the list too. Is that one a depot, which no list holds, and
            // the place costs less than this, then a route of its own costs no more.
            const double longer = std::max(edge_[other], edge_[previous_[other]]);
            if (2 * (near_lengths_[begin + k] - longer) >= least) continue;
            if (--until_blink_ == 0) {
                until_blink_ = draw_blink(random);
                continue;
            }
            const int a = previous_[other], b = next_[other];
            const double leg = length_(other, customer);
            const double before = length_(a, customer) + leg - edge_[a];
            const double behind = leg + length_(customer, b) - edge_[other];
            if (before < least && !is_tied(a)) {
                least = before;
                after = a;
            }
            if (behind < least && !is_tied(other)) {
                least = behind;
                after = other;
            }
        }
        change_ += least;
        if (after < 0) {
            const int route = open_route();
            opened_.push_back(route);
            link(customer, size_ + route, route);
        } else {
            link(customer, after, after < size_ ? route_[after] : after - size_);
        }
    }

    void settle() {
        for (const Removal &removal : removed_)
            if (count_[removal.route] == 0 && ruined_[removal.route] == stamp_) {
                close_route(removal.route);
                ruined_[removal.route] = 0;
            }
        removed_.clear();
        opened_.clear();
    }

    void undo() {
        for (const Removal &removal : removed_) unlink(removal.customer);
        for (const int route : opened_) close_route(route);
        opened_.clear();
        for (auto removal = removed_.rbegin(); removal != removed_.rend(); ++removal)
            link(removal->customer, removal->previous, removal->route);
        removed_.clear();
    }

    Distance length_;
    int size_;
    std::vector<std::int64_t> demand_;
    std::int64_t capacity_;
    std::vector<int> neighbours_;  // (n, width)
    int width_;
    std::vector<char> held_;            // of each customer
    std::vector<int> next_, previous_;  // of customers, then of depots
    std::vector<double> edge_;          // to the next node
    std::vector<float> near_lengths_;   // only to pass over places that are too far
    std::vector<int> route_;            // of each customer; -1 while removed
    std::vector<std::int64_t> load_;    // of each route, like the next two
    std::vector<int> count_;
    std::vector<std::uint32_t> ruined_;  // stamp of the last iteration that took a string from it
    std::vector<int> unused_, opened_, order_, first_, second_;
    std::vector<double> from_depot_;
    std::vector<Removal> removed_;
    std::uint32_t stamp_ = 0;
    int until_blink_ = 1;
    double change_ = 0;
};

}  // namespace sil
