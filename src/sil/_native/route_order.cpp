#include "route_order.h"

#include <algorithm>
#include <array>
#include <random>

namespace sil {
namespace {

// One closed tour as an array, its nodes numbered by their place when the search began.
template <class Distance> class TourOrder {
  public:
    // `neighbours[i]` are numbers of this tour.
    TourOrder(Distance distance, std::vector<int> nodes, std::vector<std::vector<int>> neighbours)
        : distance_(distance), nodes_(std::move(nodes)), neighbours_(std::move(neighbours)),
          order_(nodes_.size()), place_(nodes_.size()), queued_(nodes_.size(), true) {
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            order_[i] = place_[i] = static_cast<int>(i);
            queue_.push_back(static_cast<int>(i));
        }
    }

    void improve(const Interrupt &interrupt) {
        for (std::size_t head = 0; head < queue_.size(); ++head) {
            if (interrupt.is_set()) return;
            const int node = queue_[head];
            queued_[node] = false;
            while (improve_at(node)) {}
        }
    }

    // Kicks somewhere, repairs the surroundings, and takes it all back if the tour got longer.
    template <class Random> void iterate(std::size_t kicks, Random &random, const Interrupt &interrupt) {
        if (size() < 8) return;
        for (; kicks > 0 && !interrupt.is_set(); --kicks) {
            undo_.clear();
            queue_.clear();
            change_ = 0;
            kick(random);
            improve(interrupt);
            if (change_ <= 0) continue;
            for (auto step = undo_.rbegin(); step != undo_.rend(); ++step)
                reverse_places((*step)[0], (*step)[1], (*step)[2]);
            for (const int node : queue_) queued_[node] = false;
        }
    }

    // The nodes in their new order, from the node that was first.
    std::vector<int> nodes() const {
        std::vector<int> result;
        for (std::size_t i = 0; i < order_.size(); ++i) result.push_back(nodes_[at(place_[0] + i)]);
        return result;
    }

  private:
    int size() const { return static_cast<int>(order_.size()); }
    int at(int place) const { return order_[place >= size() ? place - size() : place]; }
    int after(int node) const { return at(place_[node] + 1); }
    int before(int node) const { return at(place_[node] + size() - 1); }
    int beside(int node, bool forward) const { return forward ? after(node) : before(node); }
    double length(int a, int b) const { return distance_(nodes_[a], nodes_[b]); }

    bool improve_at(int node) {
        return two_opt(node, true) || two_opt(node, false) || or_opt(node, true) ||
               or_opt(node, false);
    }

    bool two_opt(int a, bool forward) {
        const int b = beside(a, forward);
        const double removed = length(a, b);
        for (const int c : neighbours_[a]) {
            const double added = length(a, c);
            if (added >= removed) return false;
            const int d = beside(c, forward);
            if (added + length(b, d) < removed + length(c, d) - epsilon * removed && c != b) {
                exchange(a, b, c, d);
                return true;
            }
        }
        return false;
    }

    // Moves the path from `first` on, away from `forward`'s other side, next to a neighbour of
    // `first`: p-[first..last]-n ... becomes p-n and [first..last] between neighbour and d.
    bool or_opt(int first, bool forward) {
        const int p = beside(first, !forward);
        int last = first;
        for (int extent = 1; extent <= 3 && extent + 2 < size(); ++extent) {
            if (extent > 1) last = beside(last, forward);
            const int n = beside(last, forward);
            if (n == p) return false;
            const double gain = length(p, first) + length(last, n) - length(p, n);
            for (const int c : neighbours_[first]) {
                const double added = length(c, first);
                if (added >= gain) break;
                if (inside(c, first, extent, forward)) continue;
                for (const bool side : {true, false}) {
                    const int d = beside(c, side);
                    if (inside(d, first, extent, forward)) continue;
                    const double delta = added + length(last, d) - length(c, d) - gain;
                    if (delta >= -epsilon * gain) continue;
                    move_path(p, first, last, n, c, d, side == forward);
                    return true;
                }
            }
        }
        return false;
    }

    bool inside(int node, int first, int extent, bool forward) const {
        int offset = place_[node] - place_[first];
        if (!forward) offset = -offset;
        if (offset < 0) offset += size();
        return offset < extent;
    }

    // Seen in the direction in which the path runs p, first..last, n: the edge (c, d) has c first
    // if `ahead`, and then the path ends up turned round, c-first..last-d, otherwise d-last..first-c.
    void move_path(int p, int first, int last, int n, int c, int d, bool ahead) {
        for (const int node : {p, first, last, n, c, d}) push(node);
        const int from = ahead ? c : d, to = ahead ? d : c;
        // p [first..last] n .. from to  becomes  p n .. from [last..first] to
        exchange(p, first, from, to);
        exchange(p, from, n, last);
        if (ahead) exchange(from, last, first, to);
    }

    // Swaps two neighbouring paths of up to 50 nodes: a double bridge that stays local.
    template <class Random> void kick(Random &random) {
        const int longest = std::min(50, (size() - 2) / 2);
        const int first = 1 + static_cast<int>(random() % longest);
        const int second = 1 + static_cast<int>(random() % longest);
        const int place = static_cast<int>(random() % size());
        const int p = at(place), a = at(place + 1), b = wrapped(place + first);
        const int c = wrapped(place + first + 1), d = wrapped(place + first + second);
        const int n = wrapped(place + first + second + 1);
        exchange(p, a, d, n);  // p d..c b..a n
        exchange(p, d, c, b);  // p c..d b..a n
        exchange(d, b, a, n);  // p c..d a..b n
    }

    int wrapped(int place) const { return order_[place % size()]; }

    // Replaces the edges a-b and c-d by a-c and b-d, where b and d follow (or both precede).
    void exchange(int a, int b, int c, int d) {
        if (a == c || b == d) return;
        for (const int node : {a, b, c, d}) push(node);
        change_ += length(a, c) + length(b, d) - length(a, b) - length(c, d);
        if (after(a) == b) reverse(b, c);
        else reverse(a, d);
    }

    // Turns the path from `from` on to `to` round, or the rest of the tour if that is shorter.
    void reverse(int from, int to) {
        int i = place_[from], j = place_[to];
        int count = j - i + 1;
        if (count <= 0) count += size();
        if (2 * count > size()) {
            std::swap(i, j);
            i = i + 1 == size() ? 0 : i + 1;
            j = j == 0 ? size() - 1 : j - 1;
            count = size() - count;
        }
        undo_.push_back({i, j, count});
        reverse_places(i, j, count);
    }

    // Reversing the same places once more takes it back.
    void reverse_places(int i, int j, int count) {
        for (int swaps = count / 2; swaps > 0; --swaps) {
            std::swap(order_[i], order_[j]);
            place_[order_[i]] = i;
            place_[order_[j]] = j;
            i = i + 1 == size() ? 0 : i + 1;
            j = j == 0 ? size() - 1 : j - 1;
        }
    }

    void push(int node) {
        if (queued_[node]) return;
        queued_[node] = true;
        queue_.push_back(node);
    }

    static constexpr double epsilon = 1e-9;
    Distance distance_;
    std::vector<int> nodes_;
    std::vector<std::vector<int>> neighbours_;
    std::vector<int> order_, place_, queue_;
    std::vector<bool> queued_;
    std::vector<std::array<int, 3>> undo_;
    double change_ = 0;  // of the tour's length since the last kick
};

}  // namespace

void improve_order(const Geometry &geometry, std::vector<int> &nodes,
                   const std::vector<int> &starts, const std::int32_t *neighbours,
                   std::size_t width, double kicks, std::uint64_t seed, int threads,
                   Interrupt &interrupt) {
    const std::size_t count = starts.size();
    const auto end_of = [&](std::size_t route) {
        return route + 1 < count ? static_cast<std::size_t>(starts[route + 1]) : nodes.size();
    };
    // In its route's tour the depot is number 0 and the customers follow.
    std::vector<int> route_of(geometry.size()), number(geometry.size());
    for (std::size_t route = 0; route < count; ++route)
        for (std::size_t i = starts[route]; i < end_of(route); ++i) {
            route_of[nodes[i]] = static_cast<int>(route);
            number[nodes[i]] = static_cast<int>(i - starts[route]) + 1;
        }
    parallel_for(count, threads, interrupt, [&](std::size_t route) {
        std::vector<int> members{0};
        members.insert(members.end(), nodes.begin() + starts[route], nodes.begin() + end_of(route));
        if (members.size() < 4) return;
        std::vector<std::vector<int>> near(members.size());
        for (std::size_t i = 0; i < members.size(); ++i)
            for (std::size_t k = 0; k < width; ++k) {
                const int other = neighbours[members[i] * width + k];
                if (other == 0 || route_of[other] == static_cast<int>(route))
                    near[i].push_back(number[other]);
            }
        geometry.visit([&](auto distance) {
            TourOrder<decltype(distance)> tour(distance, members, std::move(near));
            tour.improve(interrupt);
            std::mt19937_64 random(seed + route);
            tour.iterate(static_cast<std::size_t>(kicks * members.size()), random, interrupt);
            const std::vector<int> improved = tour.nodes();
            std::copy(improved.begin() + 1, improved.end(), nodes.begin() + starts[route]);
        });
    });
}

}  // namespace sil
