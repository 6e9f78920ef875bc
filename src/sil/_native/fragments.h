// Paths that grow by joining ends: greedy edge, and savings with a capacity.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace sil {

class Fragments {
  public:
    // Every node begins as a path of its own. Paths join while their demand fits the capacity.
    Fragments(std::vector<std::int64_t> demand, std::int64_t capacity);

    // Joins the pairs in the order given, each where both nodes are ends of different paths.
    void join(const std::vector<std::pair<int, int>> &pairs);

    std::size_t count() const { return count_; }

    // The two ends of each path (the same node twice for a path of one).
    std::vector<std::pair<int, int>> ends() const;

    // All nodes path by path, and where each path begins.
    std::pair<std::vector<int>, std::vector<int>> paths() const;

  private:
    static constexpr int none = -1;
    int find(int node);

    std::vector<std::pair<int, int>> link_;  // up to two neighbours of each node
    std::vector<int> parent_;                // union-find over paths
    std::vector<std::int64_t> load_;         // at the root of each path
    std::int64_t capacity_;
    std::size_t count_;
};

}  // namespace sil
