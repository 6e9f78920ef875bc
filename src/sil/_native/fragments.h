// Paths that grow by joining ends: greedy edge, and savings with a capacity.
#pragma once

#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "geometry.h"
#include "interrupt.h"

namespace sil {

class Fragments {
  public:
    // Every node begins as a path of its own. Paths join while their demand fits the capacity.
    Fragments(std::vector<std::int64_t> demand, std::int64_t capacity);

    // Path ends and the near ends of each. Fragments number what `nodes` lists.
    struct NearEnds {
        const std::int32_t *nodes;
        const std::int32_t *at;  // the ends, in numbers of the fragments
        std::size_t count;
        const std::int32_t *neighbours;  // (count, width), places in `at`
        std::size_t width;
        std::optional<int> depot;
    };

    // Joins ends while that is allowed, the nearest first or, with a depot, those whose joining
    // saves most, until done or interrupted.
    void join(const Geometry &geometry, const NearEnds &near, const Interrupt &interrupt);

    std::size_t size() const { return parent_.size(); }  // nodes
    std::size_t count() const { return count_; }         // paths

    // The two ends of each path (the same node twice for a path of one).
    std::vector<std::pair<int, int>> ends() const;

    // All nodes path by path, and where each path begins.
    std::pair<std::vector<int>, std::vector<int>> paths() const;

  private:
    static constexpr int none = -1;
    struct Pair {
        double weight;
        int a, b;
        bool operator<(const Pair &other) const {
            return std::tie(weight, a, b) < std::tie(other.weight, other.a, other.b);
        }
    };
    int find(int node);
    using Pairs = std::vector<Pair>::iterator;
    void join_lightest_first(Pairs first, Pairs last, const Interrupt &interrupt);

    std::vector<std::pair<int, int>> link_;  // up to two neighbours of each node
    std::vector<int> parent_;                // union-find over paths
    std::vector<std::int64_t> load_;         // at the root of each path
    std::int64_t capacity_;
    std::size_t count_;
};

}  // namespace sil
