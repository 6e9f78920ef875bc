// Local search on a tour by chains of 3-opt moves, repeated after random local kicks.
//
// A step is the best sequential 3-opt (or 2-opt) move from a node. If none shortens the tour, the
// move with the largest gain before its closing edge is made anyway, and the next step continues
// from its open end, as in Lin-Kernighan search. A chain that ends without a gain is undone.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "core/interrupt.h"
#include "search/annealing.h"
#include "search/array_tour.h"
#include "search/neighbour_lists.h"

namespace sil {

// The initial tour is 0, 1, ..., n - 1. Edges passed to `fix` are never removed.
template <class Distance> class KOpt {
  public:
    // `neighbours` has `width` near nodes per node, nearest first; -1 ends a shorter list.
    KOpt(Distance distance, int size, std::vector<int> neighbours, int width)
        : length_(distance), tour_(size), neighbours_(std::move(neighbours)), width_(width),
          near_lengths_(neighbour_lengths<double>(distance, neighbours_, width)),
          linked_(size, {-1, -1}), queued_(size, false) {
        double total = 0;
        for (int i = 0; i < size; ++i) total += length_(i, tour_.next(i));
        epsilon_ = 1e-7 * total / size;
    }

    void fix(int a, int b) {
        linked_[a][linked_[a][0] >= 0] = b;
        linked_[b][linked_[b][0] >= 0] = a;
    }

    bool is_fixed(int a, int b) const { return linked_[a][0] == b || linked_[a][1] == b; }

    // Improves the tour to a local optimum.
    void descend(const Interrupt &interrupt) {
        for (int i = 0; i < tour_.size(); ++i) push(i);
        settle(interrupt);
        tour_.commit();
    }

    // Kicks the tour at a random place and improves it around there. Accepts a longer tour with a
    // probability that falls with the temperature, and otherwise undoes all.
    void iterate(std::size_t kicks, double temperature, std::mt19937_64 &random,
                 const Interrupt &interrupt) {
        if (tour_.size() < 8) return;
        for (; kicks > 0 && !interrupt.is_set(); --kicks) {
            change_ = 0;
            if (!kick(random)) continue;
            settle(interrupt);
            if (annealing_accepts(change_, temperature, random)) tour_.commit();
            else tour_.undo();
        }
    }

    const ArrayTour &tour() const { return tour_; }

  private:
    static constexpr int max_steps = 3;
    static constexpr int longest_path = 50;  // nodes that a kick moves

    // Removes the edges (0,1), (2,3), ... between these ends and adds (1,2), (3,4), ..., (last,0).
    struct Move {
        double gain = 0;  // of an open move: without the closing edge
        int edges = 0;
        std::array<int, 6> ends;
    };

    // Processes the queue. If interrupted, the tour is valid and keeps its gains so far.
    void settle(const Interrupt &interrupt) {
        std::size_t head = 0;
        for (; head < queue_.size() && !(head % 64 == 63 && interrupt.is_set()); ++head) {
            const int node = queue_[head];
            queued_[node] = false;
            while (improve_at(node, true) || improve_at(node, false)) {}
        }
        for (; head < queue_.size(); ++head) queued_[queue_[head]] = false;
        queue_.clear();
    }

    // Looks for a chain of moves that begins by removing the edge on one side of the node.
    bool improve_at(int node, bool forward) {
        int open = tour_.beside(node, forward);
        if (is_fixed(node, open)) return false;
        const std::size_t mark = tour_.changes();
        double gain = length_(node, open);
        touched_.clear();
        for (int step = 0; step < max_steps; ++step) {
            search(node, open, gain);
            const bool found = closed_.edges > 0;
            if (!found && (open_.edges == 0 || step + 1 == max_steps)) break;
            const Move &move = found ? closed_ : open_;
            touched_.insert(touched_.end(), move.ends.begin(), move.ends.begin() + 2 * move.edges);
            make(move);
            if (found) {
                change_ -= move.gain;
                for (const int end : touched_) push(end);
                return true;
            }
            gain = move.gain;
            open = move.ends[2 * move.edges - 1];
        }
        tour_.undo(mark);
        return false;
    }

    // Finds the best closed and the best open move that remove the edge (t0, t1). `gained` is the
    // gain of the chain so far, including this removal.
    void search(int t0, int t1, double gained) {
        closed_ = {epsilon_, 0, {}};
        open_ = {0, 0, {}};
        const bool forward = tour_.next(t0) == t1;
        const auto offset = [&](int node) {  // along the tour from t1 on, away from t0
            const int steps =
                forward ? tour_.place(node) - tour_.place(t1) : tour_.place(t1) - tour_.place(node);
            return steps < 0 ? steps + tour_.size() : steps;
        };
        for (int i = 0; i < width_; ++i) {
            const int t2 = neighbours_[at(t1, i)];
            if (t2 < 0) break;
            const double left = gained - near_lengths_[at(t1, i)];
            if (left <= closed_.gain) break;
            if (t2 == t0 || t2 == tour_.beside(t1, forward)) continue;
            for (const bool ahead : {false, true}) {
                const int t3 = tour_.beside(t2, ahead == forward);
                if (is_fixed(t2, t3)) continue;
                const double total = left + length_(t2, t3);
                // Two edges give one tour if t3 lies before t2. Otherwise t1..t2 becomes a separate
                // tour, which the third edge must open again.
                if (!ahead) consider(total, t0, {t0, t1, t2, t3}, 2);
                const int reach = offset(ahead ? t2 : t3);
                for (int k = 0; k < width_; ++k) {
                    const int t4 = neighbours_[at(t3, k)];
                    if (t4 < 0) break;
                    const double rest = total - near_lengths_[at(t3, k)];
                    if (rest <= closed_.gain) break;
                    if (t4 == tour_.next(t3) || t4 == tour_.previous(t3)) continue;
                    const bool within = offset(t4) <= reach;
                    if (ahead && !within) continue;
                    for (const bool side : {false, true}) {
                        if (!ahead && side != within) continue;
                        const int t5 = tour_.beside(t4, side == forward);
                        if (is_fixed(t4, t5) || same_edge(t4, t5, t0, t1) ||
                            same_edge(t4, t5, t2, t3))
                            continue;
                        consider(rest + length_(t4, t5), t0, {t0, t1, t2, t3, t4, t5}, 3);
                    }
                }
            }
        }
    }

    void consider(double total, int t0, const std::array<int, 6> &ends, int edges) {
        const double gain = total - length_(ends[2 * edges - 1], t0);
        if (gain > closed_.gain) closed_ = {gain, edges, ends};
        if (total > open_.gain) open_ = {total, edges, ends};
    }

    static bool same_edge(int a, int b, int c, int d) {
        return (a == c && b == d) || (a == d && b == c);
    }

    std::size_t at(int node, int k) const { return static_cast<std::size_t>(node) * width_ + k; }

    // Follows the new edges from segment to segment to find their new order.
    void make(const Move &move) {
        struct Cut {
            int place, near, far;  // indices of the ends at the place and after it
        };
        const int count = move.edges;
        std::array<Cut, 3> cuts;
        for (int i = 0; i < count; ++i) {
            const int a = tour_.place(move.ends[2 * i]), b = tour_.place(move.ends[2 * i + 1]);
            const Cut cut =
                b == tour_.wrap(a + 1) ? Cut{a, 2 * i, 2 * i + 1} : Cut{b, 2 * i + 1, 2 * i};
            int k = i;
            for (; k > 0 && cuts[k - 1].place > cut.place; --k) cuts[k] = cuts[k - 1];
            cuts[k] = cut;
        }
        std::array<int, 6> cut_of;
        for (int i = 0; i < count; ++i) {
            cut_of[cuts[i].near] = cut_of[cuts[i].far] = i;
            order_.cuts[i] = cuts[i].place;
        }
        order_.count = count;
        int segment = count - 1;
        bool reversed = false;
        for (int i = 0; i < count; ++i) {
            order_.pieces[i] = {segment, reversed};
            const int leave = reversed ? cuts[segment].far : cuts[(segment + 1) % count].near;
            const int enter = (leave + (leave % 2 ? 1 : 2 * count - 1)) % (2 * count);
            const int cut = cut_of[enter];
            reversed = cuts[cut].near == enter;
            segment = reversed ? (cut + count - 1) % count : cut;
        }
        tour_.rearrange(order_);
    }

    // Reverses the order of three neighbouring paths. This is a local double bridge, which no
    // single sequential move can undo.
    bool kick(std::mt19937_64 &random) {
        const int longest = std::min(longest_path, (tour_.size() - 2) / 3);
        int place = static_cast<int>(random() % tour_.size());
        for (int i = 0; i < 4; ++i) {
            order_.cuts[i] = place % tour_.size();
            const int near = tour_.at(order_.cuts[i]);
            if (is_fixed(near, tour_.next(near))) return false;
            place += 1 + static_cast<int>(random() % longest);
        }
        order_.count = 4;
        std::sort(order_.cuts.begin(), order_.cuts.begin() + 4);
        for (int i = 0; i < 4; ++i) {
            order_.pieces[i] = {3 - i, false};
            const int near = tour_.at(order_.cuts[i]), far = tour_.next(near);
            const int joined = tour_.next(tour_.at(order_.cuts[(i + 2) % 4]));
            change_ += length_(near, joined) - length_(near, far);
            push(near);
            push(far);
        }
        tour_.rearrange(order_);
        return true;
    }

    void push(int node) {
        if (queued_[node]) return;
        queued_[node] = true;
        queue_.push_back(node);
    }

    Distance length_;
    ArrayTour tour_;
    std::vector<int> neighbours_;  // (n, width)
    int width_;
    std::vector<double> near_lengths_;
    std::vector<std::array<int, 2>> linked_;  // the other ends of a node's fixed edges
    std::vector<int> queue_, touched_;
    std::vector<char> queued_;
    Move closed_, open_;
    ArrayTour::Rearrangement order_;
    double epsilon_;     // smaller gains are rounding errors, which could cause endless loops
    double change_ = 0;  // of the tour's length since the last kick
};

}  // namespace sil
