#include "core/neighbours.h"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "core/kd_tree.h"

namespace sil {
namespace {

template <int D>
KdTree<D> build_tree(std::vector<typename KdTree<D>::Entry> entries, int threads,
                     Interrupt &interrupt) {
    KdTree<D> tree(std::move(entries));
    // Level by level until there are more subtrees than threads.
    const int top = tree.entries().size() > 10'000 ? std::min(tree.depth(), 6) : 0;
    for (int level = 0; level < top; ++level)
        parallel_for(std::size_t{1} << level, threads, interrupt,
                     [&](std::size_t i) { tree.split((std::size_t{1} << level) + i, level); });
    parallel_for(std::size_t{1} << top, threads, interrupt,
                 [&](std::size_t i) { tree.build((std::size_t{1} << top) + i, top); });
    return tree;
}

struct AllBut {
    std::size_t own;
    bool any(std::size_t) const { return true; }
    bool has(std::size_t entry) const { return entry != own; }
};

// Goes up from the point's own leaf, and searches the other half if it may have nearer points.
template <int D>
void find_one(const KdTree<D> &tree, std::size_t leaf, std::size_t own,
              std::vector<typename KdTree<D>::Found> &best) {
    const auto &from = tree.entries()[own].at;
    best.assign(best.size(), {std::numeric_limits<double>::infinity(), -1});
    tree.look_at(leaf, from, best, AllBut{own});
    for (std::size_t node = leaf; node > tree.root; node /= 2)
        tree.search(node ^ 1, from, best, AllBut{own});
}

template <class Distance>
void find_by_place(const Distance &distance, const std::vector<std::int32_t> &among,
                   std::size_t count, int threads, Interrupt &interrupt, std::int32_t *result) {
    constexpr int D = Distance::dimensions;
    std::vector<typename KdTree<D>::Entry> entries(among.size());
    for (std::size_t i = 0; i < among.size(); ++i)
        entries[i] = {distance.place(among[i]), static_cast<std::int32_t>(i)};
    const KdTree<D> tree = build_tree<D>(std::move(entries), threads, interrupt);
    if (interrupt.is_set()) return;
    // In the order of the tree, because the points of one leaf visit the same part of it.
    const std::size_t leaves = tree.num_leaves(), block = std::min<std::size_t>(leaves, 64);
    parallel_for(leaves / block, threads, interrupt, [&](std::size_t i) {
        std::vector<typename KdTree<D>::Found> best(count);
        for (std::size_t leaf = leaves + i * block; leaf < leaves + (i + 1) * block; ++leaf) {
            const std::size_t last = tree.begin(leaf + 1, tree.depth());
            for (std::size_t own = tree.begin(leaf, tree.depth()); own < last; ++own) {
                find_one(tree, leaf, own, best);
                std::int32_t *row = result + tree.entries()[own].index * count;
                for (const auto &found : best) *row++ = found.index;
            }
        }
    });
}

// A matrix has no places, so each node is compared with all others.
template <class Distance>
void find_by_distance(const Distance &distance, const std::vector<std::int32_t> &among,
                      std::size_t count, int threads, Interrupt &interrupt, std::int32_t *result) {
    parallel_for(among.size(), threads, interrupt, [&](std::size_t i) {
        std::vector<std::pair<double, std::int32_t>> others;
        others.reserve(among.size());
        for (std::size_t j = 0; j < among.size(); ++j)
            if (j != i)
                others.emplace_back(distance(among[i], among[j]), static_cast<std::int32_t>(j));
        std::partial_sort(others.begin(), others.begin() + count, others.end());
        for (std::size_t k = 0; k < count; ++k) result[i * count + k] = others[k].second;
    });
}

}  // namespace

std::vector<std::int32_t> nearest(const Geometry &geometry, const std::vector<std::int32_t> &among,
                                  std::size_t count, int threads, Interrupt &interrupt) {
    std::vector<std::int32_t> result(among.size() * count);
    if (result.empty()) return result;
    geometry.visit([&](const auto &distance) {
        if constexpr (std::decay_t<decltype(distance)>::dimensions > 0)
            find_by_place(distance, among, count, threads, interrupt, result.data());
        else find_by_distance(distance, among, count, threads, interrupt, result.data());
    });
    return result;
}

Neighbours::Neighbours(std::vector<std::int32_t> lists, std::size_t size, std::size_t width)
    : lists_(std::make_shared<const std::vector<std::int32_t>>(std::move(lists))), size_(size),
      width_(width), stride_(width) {}

Neighbours Neighbours::narrowed(std::size_t width) const {
    Neighbours fewer = *this;
    fewer.width_ = width;
    return fewer;
}

Neighbours Neighbours::spread(const Point *layout, std::size_t width, int threads,
                              Interrupt &interrupt) const {
    if (width_ <= width) return *this;
    constexpr int of_each = 2;
    std::vector<std::int32_t> lists(size_ * width);
    parallel_for_each(size_, threads, interrupt, [&](std::size_t i) {
        const std::int32_t *others = of(static_cast<int>(i));
        const auto quadrant = [&](std::int32_t other) {
            return (layout[other].x >= layout[i].x) + 2 * (layout[other].y >= layout[i].y);
        };
        // How many places the first two of each quadrant leave to others.
        std::array<int, 4> seen{};
        std::size_t left = width;
        for (std::size_t k = 0; k < width_ && left > 0; ++k)
            left -= ++seen[quadrant(others[k])] <= of_each;
        seen = {};
        std::size_t taken = 0;
        for (std::size_t k = 0; k < width_ && taken < width; ++k) {
            const bool first = ++seen[quadrant(others[k])] <= of_each;
            if (!first && left == 0) continue;
            left -= !first;
            lists[i * width + taken++] = others[k];
        }
    });
    return {std::move(lists), size_, width};
}

Neighbours Neighbours::renumbered(const std::vector<std::int32_t> &order, std::int32_t first,
                                  std::size_t width, int threads, Interrupt &interrupt) const {
    std::vector<std::int32_t> number(size_);  // new number of each old one
    for (std::size_t i = 0; i < size_; ++i) number[order[i]] = static_cast<std::int32_t>(i);
    std::vector<std::int32_t> lists(size_ * width);
    parallel_for_each(size_, threads, interrupt, [&](std::size_t i) {
        const std::int32_t *others = of(order[i]);
        std::size_t taken = 0;
        for (std::size_t k = 0; k < width_ && taken < width; ++k)
            if (others[k] >= first) lists[i * width + taken++] = number[others[k]];
        if (taken < width) throw std::invalid_argument("the lists are shorter than the width");
    });
    return {std::move(lists), size_, width};
}

}  // namespace sil
