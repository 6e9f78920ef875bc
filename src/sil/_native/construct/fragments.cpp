#include "construct/fragments.h"

#include <algorithm>
#include <numeric>

namespace sil {

Fragments::Fragments(const Instance &instance, int first)
    : first_(first), limited_(instance.has_depot()), limits_(instance.limits()),
      link_(instance.size(), {none, none}), parent_(instance.size()),
      count_(instance.size() - first) {
    std::iota(parent_.begin(), parent_.end(), 0);
    if (!limited_) return;
    usage_.reserve(instance.size());
    for (std::size_t i = 0; i < instance.size(); ++i)
        usage_.push_back(instance.alone(static_cast<int>(i)));
}

int Fragments::find(int node) {
    while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
    return node;
}

void Fragments::join_proposed(const Interrupt &interrupt) {
    join_lightest_first(proposed_.begin(), proposed_.end(), interrupt);
    proposed_ = {};
}

void Fragments::join_lightest_first(Pairs first, Pairs last, const Interrupt &interrupt) {
    const auto between_ends = [&](const Pair &pair) { return is_end(pair.a) && is_end(pair.b); };
    if (interrupt.is_set()) return;
    if (last - first > 4096) {
        // Quicksort that sorts the heavier half only after the lighter one is joined. By then most
        // of its pairs are no longer between ends and need no sorting.
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
        if (left == right) continue;
        if (limited_) {
            const Usage both = usage_[left] + usage_[right] + Usage::path(weight);
            if (!limits_.allow(both)) continue;
            usage_[left] = both;
        }
        parent_[right] = left;
        (link_[a].first == none ? link_[a].first : link_[a].second) = b;
        (link_[b].first == none ? link_[b].first : link_[b].second) = a;
        --count_;
    }
}

Routes Fragments::paths() const {
    Routes paths;
    paths.nodes.reserve(link_.size() - first_);
    std::vector<bool> seen(link_.size());
    for (std::size_t begin = first_; begin < link_.size(); ++begin) {
        if (seen[begin] || !is_end(static_cast<int>(begin))) continue;
        paths.open();
        int previous = none, node = static_cast<int>(begin);
        while (node != none) {
            seen[node] = true;
            paths.nodes.push_back(node);
            const int after =
                link_[node].first == previous ? link_[node].second : link_[node].first;
            previous = node;
            node = after;
        }
    }
    return paths;
}

std::vector<std::int32_t> Fragments::ends() const {
    std::vector<std::int32_t> ends;
    for (std::size_t node = first_; node < link_.size(); ++node)
        if (is_end(static_cast<int>(node))) ends.push_back(static_cast<std::int32_t>(node));
    return ends;
}

}  // namespace sil
