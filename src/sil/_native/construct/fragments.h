// Paths that grow when their ends are joined.
#pragma once

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "core/instance.h"
#include "core/interrupt.h"

namespace sil {

class Fragments {
  public:
    // Every node from `first` on begins as its own path. Paths are joined if the limits of routes,
    // if there are any, allow it. The weight of a pair is then what joining adds to the length of
    // both routes, which is negative.
    Fragments(const Instance &instance, int first);

    // Proposes to join two nodes. They may no longer be ends when it is considered.
    void propose(double weight, int a, int b) { proposed_.push_back({weight, a, b}); }

    void reserve(std::size_t pairs) { proposed_.reserve(pairs); }

    // Joins the proposed pairs that are allowed, lightest first, until done or interrupted.
    void join_proposed(const Interrupt &interrupt);

    std::size_t count() const { return count_; }  // of paths

    // All nodes, path by path.
    Routes paths() const;

    // The nodes that are the end of a path, ascending.
    std::vector<std::int32_t> ends() const;

  private:
    static constexpr int none = -1;
    struct Pair {
        double weight;
        int a, b;
        bool operator<(const Pair &other) const {
            return std::tie(weight, a, b) < std::tie(other.weight, other.a, other.b);
        }
    };
    using Pairs = std::vector<Pair>::iterator;

    int find(int node);
    bool is_end(int node) const { return link_[node].second == none; }
    void join_lightest_first(Pairs first, Pairs last, const Interrupt &interrupt);

    int first_;
    bool limited_;
    Limits limits_;
    std::vector<std::pair<int, int>> link_;  // up to two neighbours of each node; fills in order
    std::vector<int> parent_;                // union-find over paths
    std::vector<Usage> usage_;               // at the root of each path, if limited
    std::vector<Pair> proposed_;
    std::size_t count_;
};

}  // namespace sil
