#include "fragments.h"

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

void Fragments::join(const std::vector<std::pair<int, int>> &pairs) {
    for (const auto &[a, b] : pairs) {
        // The second slot fills last, so it tells whether a node is inside its path.
        if (link_[a].second != none || link_[b].second != none) continue;
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
