#include "fragments.h"

#include <algorithm>
#include <numeric>

namespace sil {

Fragments::Fragments(std::vector<std::int64_t> demand, std::int64_t capacity)
    : link_(demand.size(), {none, none}), parent_(demand.size()), load_(std::move(demand)),
      capacity_(capacity), count_(parent_.size()) {
    std::iota(parent_.begin(), parent_.end(), 0);
}

int Fragments::find(int node) {
    while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
    return node;
}

void Fragments::join(const Geometry &geometry, const NearEnds &near, const Interrupt &interrupt) {
    std::vector<Pair> pairs;
    pairs.reserve(near.count * near.width);
    geometry.visit([&](const auto &distance) {
        for (std::size_t i = 0; i < near.count && !interrupt.is_set(); ++i) {
            const int a = near.at[i], from = near.nodes[a];
            for (std::size_t k = 0; k < near.width; ++k) {
                const int b = near.at[near.neighbours[i * near.width + k]], to = near.nodes[b];
                double weight = distance(from, to);
                if (near.depot) weight -= distance(from, *near.depot) + distance(*near.depot, to);
                pairs.push_back({weight, a, b});
            }
        }
    });
    join_lightest_first(pairs.begin(), pairs.end(), interrupt);
}

void Fragments::join_lightest_first(Pairs first, Pairs last, const Interrupt &interrupt) {
    // The second slot fills last, so it tells whether a node is inside its path.
    const auto between_ends = [&](const Pair &pair) {
        return link_[pair.a].second == none && link_[pair.b].second == none;
    };
    if (interrupt.is_set()) return;
    if (last - first > 4096) {
        // Quicksort that looks at the heavier half only when the lighter one is joined: by then
        // most of its pairs have lost an end and need no sorting.
        const auto middle = first + (last - first) / 2;
        std::nth_element(first, middle, last);
        join_lightest_first(first, middle, interrupt);
        join_lightest_first(middle, std::partition(middle, last, between_ends), interrupt);
        return;
    }
    std::sort(first, last);
    for (auto pair = first; pair != last; ++pair) {
        if (!between_ends(*pair)) continue;
        const auto [weight, a, b] = *pair;
        const int left = find(a), right = find(b);
        if (left == right || load_[left] + load_[right] > capacity_) continue;
        parent_[right] = left;
        load_[left] += load_[right];
        (link_[a].first == none ? link_[a].first : link_[a].second) = b;
        (link_[b].first == none ? link_[b].first : link_[b].second) = a;
        --count_;
    }
}

std::vector<std::pair<int, int>> Fragments::ends() const {
    const auto [nodes, starts] = paths();
    std::vector<std::pair<int, int>> result;
    for (std::size_t path = 0; path < starts.size(); ++path) {
        const std::size_t end =
            path + 1 < starts.size() ? static_cast<std::size_t>(starts[path + 1]) : nodes.size();
        result.emplace_back(nodes[starts[path]], nodes[end - 1]);
    }
    return result;
}

std::pair<std::vector<int>, std::vector<int>> Fragments::paths() const {
    std::vector<int> nodes, starts;
    nodes.reserve(link_.size());
    std::vector<bool> seen(link_.size());
    for (std::size_t begin = 0; begin < link_.size(); ++begin) {
        if (seen[begin] || link_[begin].second != none) continue;
        starts.push_back(static_cast<int>(nodes.size()));
        int previous = none, node = static_cast<int>(begin);
        while (node != none) {
            seen[node] = true;
            nodes.push_back(node);
            const int after = link_[node].first == previous ? link_[node].second
                                                            : link_[node].first;
            previous = node;
            node = after;
        }
    }
    return {std::move(nodes), std::move(starts)};
}

}  // namespace sil
