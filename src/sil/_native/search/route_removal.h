// Serves the customers of a group with fewer routes, as slack induction by string removals does
// (Christiaens and Vanden Berghe, 2020, section on fleet minimisation): the customers of one route
// are left without a route, and ruin and recreate goes on until everybody has a place again. A
// change is good if it leaves out customers who were seldom left out before.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "core/interrupt.h"
#include "search/ruin_recreate.h"

namespace sil {

template <class Distance> class RouteRemoval {
  public:
    RouteRemoval(RouteState<Distance> &state, RuinRecreate<Distance> &ruin, std::mt19937_64 &random)
        : state_(state), ruin_(ruin), random_(random), absences_(state.size(), 1) {}

    // Whether the vehicles that remain could carry everything.
    bool may_succeed() const {
        Usage all;
        for (int customer = 0; customer < state_.size(); ++customer)
            all += state_.usage_of(customer);
        return state_.num_routes() > 1 &&
               all.load <= state_.limits().capacity * (state_.num_routes() - 1);
    }

    // Removes one route. Returns whether all customers have a place again; `left` is the number of
    // steps that may be used, and that are left.
    bool remove_one(std::size_t &left, double temperature, const Interrupt &interrupt) {
        take_out(easiest());
        state_.allow_no_more();
        for (; left > 0 && !absent_.empty() && !interrupt.is_set(); --left) {
            ruin_.ruin(seed());
            for (const int customer : absent_) ruin_.take_along(customer);
            ruin_.recreate();
            const std::int64_t change = sum(ruin_.left_out()) - sum(absent_);
            for (const int customer : ruin_.left_out()) ++absences_[customer];
            if (ruin_.respects_lengths() &&
                (change < 0 ||
                 (change == 0 && annealing_accepts(ruin_.change(), temperature, random_)))) {
                absent_ = ruin_.left_out();
                ruin_.settle();
            } else {
                ruin_.undo();
            }
        }
        return absent_.empty();
    }

  private:
    static constexpr double near_absent = 0.9;  // share of the ruins

    // The route whose customers were left out least often.
    int easiest() const {
        std::vector<std::int64_t> sums(most_routes(state_.size()), 0);
        for (int customer = 0; customer < state_.size(); ++customer)
            sums[state_.route_of(customer)] += absences_[customer];
        int best = -1;
        for (int route = 0; route < most_routes(state_.size()); ++route)
            if (sums[route] > 0 && (best < 0 || sums[route] < sums[best])) best = route;
        return best;
    }

    void take_out(int route) {
        absent_.clear();
        while (state_.count(route) > 0) {
            absent_.push_back(state_.next(state_.depot(route)));
            state_.unlink(absent_.back());
        }
        state_.close_route(route);
    }

    int seed() {
        if (uniform(random_) > near_absent) return below(random_, state_.size());
        const int absent = absent_[below(random_, static_cast<int>(absent_.size()))];
        const int beside =
            state_.width() == 0 ? -1 : state_.neighbours_of(absent)[below(random_, state_.width())];
        return beside < 0 ? absent : beside;
    }

    std::int64_t sum(const std::vector<int> &customers) const {
        std::int64_t total = 0;
        for (const int customer : customers) total += absences_[customer];
        return total;
    }

    RouteState<Distance> &state_;
    RuinRecreate<Distance> &ruin_;
    std::mt19937_64 &random_;
    std::vector<std::int64_t> absences_;  // how often each customer was left out
    std::vector<int> absent_;             // who is in no route
};

}  // namespace sil
