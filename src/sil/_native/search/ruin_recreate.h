// The move that removes strings of customers from neighbouring routes and inserts them one by one:
// slack induction by string removals (Christiaens and Vanden Berghe, 2020). It inserts next to
// near neighbours, or in the few routes with most room, so that the time of a move does not depend
// on the size of the problem.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "search/annealing.h"
#include "search/route_state.h"

namespace sil {

template <class Distance> class RuinRecreate {
  public:
    RuinRecreate(RouteState<Distance> &state, std::mt19937_64 &random)
        : state_(state), random_(random), ruined_(most_routes(state.size()), 0),
          until_blink_(draw_blink()) {
        for (int customer = 0; customer < state.size(); ++customer)
            from_depot_.push_back(state.length(state.depot(0), customer));
        near_lengths_ = neighbour_lengths<float>([&](int a, int b) { return state.length(a, b); },
                                                 state.neighbours(), state.width());
    }

    // Accepts longer routes with a probability that falls with the temperature.
    void propose(double temperature) {
        ruin(below(random_, state_.size()));
        recreate();
        const bool valid = left_out_.empty() && respects_lengths();
        if (valid && annealing_accepts(change_, temperature, random_)) settle();
        else undo();
    }

    // The parts of a move, for others that decide differently. Each ends with `settle` or `undo`.

    // Removes strings of customers from routes near a customer, who may be in no route.
    void ruin(int seed) {
        change_ = 0;
        if (until_survey_-- == 0) find_roomy_routes();
        remove_strings(seed);
    }

    // Takes a customer along who was in no route before the move.
    void take_along(int customer) { removed_.push_back({customer, -1, -1}); }

    // Inserts the removed customers, each at the cheapest place found.
    void recreate() {
        left_out_.clear();
        insert_removed();
    }

    double change() const { return change_; }                       // of the length
    const std::vector<int> &left_out() const { return left_out_; }  // who found no place

    // Whether the routes that lost customers are short enough. With distances that break the
    // triangle inequality, such as rounded ones, a route can be longer without a customer.
    bool respects_lengths() const {
        return !state_.limits().bounded() ||
               std::all_of(removed_.begin(), removed_.end(), [this](const Removal &removal) {
                   return removal.route < 0 ||
                          state_.limits().allow_length(state_.usage(removal.route));
               });
    }

    void settle() {
        for (const Removal &removal : removed_)
            if (removal.route >= 0 && state_.count(removal.route) == 0 &&
                ruined_[removal.route] == stamp_) {
                state_.close_route(removal.route);
                ruined_[removal.route] = 0;
            }
        removed_.clear();
        opened_.clear();
    }

    void undo() {
        for (const Removal &removal : removed_)
            if (state_.route_of(removal.customer) >= 0) state_.unlink(removal.customer);
        for (const int route : opened_) state_.close_route(route);
        opened_.clear();
        for (auto removal = removed_.rbegin(); removal != removed_.rend(); ++removal)
            if (removal->route >= 0)
                state_.link(removal->customer, removal->previous, removal->route);
        removed_.clear();
    }

  private:
    static constexpr double mean_removed = 10, longest_string = 10, blink_rate = 0.01;
    static constexpr double split_chance = 0.5, widen_chance = 0.01;
    static constexpr int most_roomy = 10, longest_roomy = 200, moves_between_surveys = 1000;

    struct Removal {
        int customer, previous, route;
    };

    // How many places are tried until one is skipped.
    int draw_blink() {
        return 1 + static_cast<int>(std::log(uniform(random_)) / std::log1p(-blink_rate));
    }

    // Finds the routes with most room, which may be far from those that have none. Long ones are
    // left out, because all their places are tried.
    void find_roomy_routes() {
        until_survey_ = moves_between_surveys;
        roomy_.clear();
        for (int route = 0; route < most_routes(state_.size()); ++route)
            if (state_.count(route) > 0 && state_.count(route) <= longest_roomy)
                roomy_.push_back(route);
        const int kept = std::min(static_cast<int>(roomy_.size()), most_roomy);
        std::partial_sort(roomy_.begin(), roomy_.begin() + kept, roomy_.end(),
                          [&](int a, int b) { return state_.load(a) < state_.load(b); });
        roomy_.resize(kept);
    }

    void remove_strings(int seed) {
        const double mean_count = static_cast<double>(state_.size()) / state_.num_routes();
        const double longest = std::min(longest_string, mean_count);
        const double most = 4 * mean_removed / (1 + longest) - 1;
        int strings = static_cast<int>(uniform(random_) * most) + 1;
        ++stamp_;
        const int *near = state_.neighbours_of(seed);
        const int width = state_.width();
        if (state_.route_of(seed) >= 0) remove_string(seed, longest);
        const auto is_spent = [&](int customer) {
            const int route = state_.route_of(customer);
            return route < 0 || ruined_[route] == stamp_;
        };
        for (int k = 0; --strings > 0 && k < width && near[k] >= 0; ++k) {
            while (k < width && near[k] >= 0 && is_spent(near[k])) ++k;
            if (k == width || near[k] < 0) break;
            remove_string(near[k], longest);
        }
    }

    void remove_string(int customer, double longest) {
        const int route = state_.route_of(customer), depot = state_.depot(route);
        const int count = state_.count(route);
        ruined_[route] = stamp_;
        const int limit = static_cast<int>(std::min<double>(longest, count));
        const int removed = 1 + below(random_, std::max(limit, 1));
        // A split string keeps some customers in its middle.
        int kept = 0;
        if (removed > 1 && removed < count && uniform(random_) < split_chance) {
            kept = 1;
            while (removed + kept < count && uniform(random_) < widen_chance) ++kept;
        }
        const int span = removed + kept;
        int before = 0, behind = 0;  // customers of the route on either side, at most span - 1
        for (int node = state_.previous(customer); node != depot && before < span - 1; ++before)
            node = state_.previous(node);
        for (int node = state_.next(customer); node != depot && behind < span - 1; ++behind)
            node = state_.next(node);
        const int least = std::max(0, span - 1 - behind);
        int node = customer;
        for (int back = least + below(random_, before - least + 1); back > 0; --back)
            node = state_.previous(node);
        const int kept_from = kept ? 1 + below(random_, removed - 1) : span;
        for (int i = 0; i < span; ++i) {
            const int following = state_.next(node);
            if ((i < kept_from || i >= kept_from + kept) && !state_.is_held(node)) remove(node);
            node = following;
        }
    }

    void remove(int customer) {
        const int previous = state_.previous(customer);
        removed_.push_back({customer, previous, state_.route_of(customer)});
        change_ -= state_.edge(previous) + state_.edge(customer);
        state_.unlink(customer);
        change_ += state_.edge(previous);
    }

    void insert_removed() {
        order_.clear();
        for (const Removal &removal : removed_) order_.push_back(removal.customer);
        const int criterion = below(random_, 11);
        std::shuffle(order_.begin(), order_.end(), random_);
        const auto sort_by = [&](auto key) {
            std::sort(order_.begin(), order_.end(), [&](int a, int b) { return key(a) < key(b); });
        };
        if (criterion < 4) sort_by([&](int c) { return -state_.load_of(c); });
        else if (criterion < 6) sort_by([&](int c) { return -from_depot_[c]; });
        else if (criterion < 7) sort_by([&](int c) { return from_depot_[c]; });
        for (const int customer : order_) insert(customer);
    }

    // A route that may be opened: one that this move has emptied if there may be no more; or -1.
    int route_to_open() {
        if (!state_.may_open()) {
            for (const Removal &removal : removed_)
                if (removal.route >= 0 && state_.count(removal.route) == 0) return removal.route;
            return -1;
        }
        opened_.push_back(state_.open_route());
        return opened_.back();
    }

    struct Place {
        double added;
        int after = -1;  // a node, or -1 for a new route
    };

    void insert(int customer) {
        const double alone = 2 * from_depot_[customer];
        Place best{state_.may_open() ? alone : Limits::none};
        look_beside_neighbours(customer, best);
        // A new route is dear where the depot is far: before that, look where there is room.
        if (best.after < 0) look_in_roomy_routes(customer, best);
        if (best.after >= 0) {
            change_ += best.added;
            state_.link(customer, best.after, state_.route_of(best.after));
            return;
        }
        const int route = route_to_open();
        if (route < 0) {
            left_out_.push_back(customer);
            return;
        }
        change_ += alone;
        state_.link(customer, state_.depot(route), route);
    }

    bool has_room(int route, int customer) const {
        return state_.load(route) <= state_.limits().capacity - state_.load_of(customer);
    }

    // Takes a place if it is better and the route stays short enough.
    void consider(int customer, int after, double added, Place &best) const {
        if (added >= best.added || state_.is_tied(after)) return;
        const Limits &limits = state_.limits();
        if (limits.bounded() &&
            !limits.allow_length(state_.usage(state_.route_of(after)) + state_.usage_of(customer) +
                                 Usage::path(added)))
            return;
        best = {added, after};
    }

    void look_beside_neighbours(int customer, Place &best) {
        const int width = state_.width();
        const int *near = state_.neighbours_of(customer);
        const float *near_length = near_lengths_.data() + (near - state_.neighbours().data());
        for (int k = 0; k < width && near[k] >= 0; ++k) {
            const int other = near[k], route = state_.route_of(other);
            if (route < 0 || !has_room(route, customer)) continue;
            const int a = state_.previous(other);
            // Insertion into an edge costs the legs to both ends minus the edge. If `other` is the
            // nearer end, that is at least this bound, even without the triangle inequality. If
            // not, the nearer end is in the list too, unless it is a depot: then, if the insertion
            // costs less than the bound, a new route costs no more.
            const double longer = std::max(state_.edge(other), state_.edge(a));
            if (2 * (near_length[k] - longer) >= best.added) continue;
            if (--until_blink_ == 0) {
                until_blink_ = draw_blink();
                continue;
            }
            const double leg = state_.length(other, customer);
            consider(customer, a, state_.length(a, customer) + leg - state_.edge(a), best);
            consider(customer, other,
                     leg + state_.length(customer, state_.next(other)) - state_.edge(other), best);
        }
    }

    void look_in_roomy_routes(int customer, Place &best) const {
        for (const int route : roomy_) {
            if (state_.count(route) == 0 || !has_room(route, customer)) continue;
            int node = state_.depot(route);
            do {
                const int next = state_.next(node);
                consider(customer, node,
                         state_.length(node, customer) + state_.length(customer, next) -
                             state_.edge(node),
                         best);
                node = next;
            } while (!state_.is_depot(node));
        }
    }

    RouteState<Distance> &state_;
    std::mt19937_64 &random_;
    std::vector<std::uint32_t> ruined_;  // the last move that removed a string from each route
    std::vector<float> near_lengths_;    // only to skip places that are too far
    std::vector<double> from_depot_;
    std::vector<int> opened_, order_, left_out_, roomy_;
    std::vector<Removal> removed_;
    std::uint32_t stamp_ = 0;
    int until_blink_, until_survey_ = 0;
    double change_ = 0;
};

}  // namespace sil
