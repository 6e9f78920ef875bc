// The move that replaces two edges so that two near customers become neighbours: 2-opt within a
// route, or an exchange of tails between two routes (2-opt*).
#pragma once

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "search/annealing.h"
#include "search/route_state.h"

namespace sil {

template <class Distance> class EdgeExchange {
  public:
    EdgeExchange(RouteState<Distance> &state, std::mt19937_64 &random)
        : state_(state), random_(random) {}

    // Accepts longer routes with a probability that falls with the temperature.
    void propose(double temperature) {
        const int width = std::min(state_.width(), drawn_from);
        if (width == 0) return;
        const int a = below(random_, state_.size());
        const int other = state_.neighbours_of(a)[below(random_, width)];
        if (other < 0) return;
        const bool same = state_.route_of(a) == state_.route_of(other);
        const bool crossed = !same && random_() % 2;
        // The edges a-a' and b-b' become a-b and a'-b' or, if crossed, a-b' and b-a'.
        const int b = crossed ? state_.previous(other) : other;
        const int behind_a = state_.next(a), behind_b = state_.next(b);
        if (behind_a == b || behind_b == a || state_.is_tied(a) || state_.is_tied(b)) return;
        const double added = crossed ? state_.length(a, behind_b) + state_.length(b, behind_a)
                                     : state_.length(a, b) + state_.length(behind_a, behind_b);
        const double change = added - state_.edge(a) - state_.edge(b);
        if (!annealing_accepts(change, temperature, random_)) return;
        if (same) reverse_between(a, b, state_.route_of(a), change);
        else exchange_tails(a, b, state_.route_of(a), state_.route_of(other), crossed);
    }

  private:
    static constexpr int drawn_from = 10;  // neighbours

    // Appends the customers from `first` on, forward or backward, up to the depot or `end`.
    void append(std::vector<int> &to, int first, bool forward, int end) const {
        for (int node = first; !state_.is_depot(node) && node != end;
             node = forward ? state_.next(node) : state_.previous(node))
            to.push_back(node);
    }

    // From the depot to a node.
    Usage usage_up_to(int node) const {
        Usage usage;
        const bool bounded = state_.limits().bounded();
        for (; !state_.is_depot(node); node = state_.previous(node)) {
            usage.load += state_.load_of(node);
            if (!bounded) continue;
            usage.length += state_.edge(state_.previous(node));
            usage.service += state_.service_of(node);
        }
        return usage;
    }

    // Divides two routes after a and after b, which may be a depot. Joins each head with the other
    // tail if `crossed`, otherwise both heads and both tails, if the limits allow it.
    void exchange_tails(int a, int b, int route, int other_route, bool crossed) {
        const int behind_a = state_.next(a), behind_b = state_.next(b);
        const Usage head = usage_up_to(a), other_head = usage_up_to(b);
        const Usage tail = state_.usage(route) - head - Usage::path(state_.edge(a)),
                    other_tail =
                        state_.usage(other_route) - other_head - Usage::path(state_.edge(b));
        const Limits &limits = state_.limits();
        const auto edge = [&](int from, int to) {
            return limits.bounded() ? Usage::path(state_.length(from, to)) : Usage{};
        };
        if (crossed ? !limits.allow(head + edge(a, behind_b) + other_tail) ||
                          !limits.allow(other_head + edge(b, behind_a) + tail)
                    : !limits.allow(head + edge(a, b) + other_head) ||
                          !limits.allow(tail + edge(behind_a, behind_b) + other_tail))
            return;
        if (state_.holds(route) && state_.holds(other_route)) return;
        const int depot = state_.depot(route), other_depot = state_.depot(other_route);
        first_.clear();
        second_.clear();
        append(first_, state_.next(depot), true, behind_a);
        if (crossed) {
            append(first_, behind_b, true, other_depot);
            append(second_, state_.next(other_depot), true, behind_b);
            append(second_, behind_a, true, depot);
        } else {
            append(first_, b, false, other_depot);
            append(second_, state_.previous(depot), false, a);
            append(second_, behind_b, true, other_depot);
        }
        state_.set_route(route, first_);
        state_.set_route(other_route, second_);
        if (second_.empty()) state_.close_route(other_route);
    }

    // Reverses the path between the edges after a and after b, in either order, if the limits allow
    // this change of the length.
    void reverse_between(int a, int b, int route, double change) {
        if (!state_.limits().allow_length(state_.usage(route) + Usage::path(change))) return;
        state_.lengthen(route, change);
        int node = a;
        while (node != b && !state_.is_depot(node)) node = state_.next(node);
        if (node != b) std::swap(a, b);
        const int first = state_.next(a), end = state_.next(b);
        int last = a;
        for (node = b; node != a;) {
            const int following = state_.previous(node);
            state_.join(last, node);
            last = node;
            node = following;
        }
        state_.join(first, end);
    }

    RouteState<Distance> &state_;
    std::mt19937_64 &random_;
    std::vector<int> first_, second_;
};

}  // namespace sil
