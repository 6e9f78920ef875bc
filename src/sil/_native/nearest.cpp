#include "nearest.h"

#include <algorithm>
#include <array>
#include <limits>

#include "kd_tree.h"

namespace sil {
namespace {

template <int D>
KdTree<D> build_tree(const double *points, std::size_t size, int threads, Interrupt &interrupt) {
    std::vector<typename KdTree<D>::Entry> entries(size);
    for (std::size_t i = 0; i < size; ++i) {
        std::copy_n(points + i * D, D, entries[i].at.begin());
        entries[i].index = static_cast<std::int32_t>(i);
    }
    KdTree<D> tree(std::move(entries));
    // Level by level until there is a subtree for every thread, and a few more.
    const int top = size > 10'000 ? std::min(tree.depth(), 6) : 0;
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

// From the point's own leaf upwards, each time into the other half if it can hold nearer ones.
template <int D>
void find_one(const KdTree<D> &tree, std::size_t leaf, std::size_t own,
              std::vector<typename KdTree<D>::Found> &best) {
    const auto &from = tree.entries()[own].at;
    best.assign(best.size(), {std::numeric_limits<double>::infinity(), -1});
    tree.look_at(leaf, from, best, AllBut{own});
    for (std::size_t node = leaf; node > tree.root; node /= 2)
        tree.search(node ^ 1, from, best, AllBut{own});
}

template <int D>
void find_nearest(const double *points, std::size_t size, std::size_t count, int threads,
                  Interrupt &interrupt, std::int32_t *result) {
    const KdTree<D> tree = build_tree<D>(points, size, threads, interrupt);
    if (interrupt.is_set()) return;
    // In the order of the tree: the points of one leaf look at the same part of it.
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

}  // namespace

std::vector<std::int32_t> nearest(const double *points, std::size_t size, int dimensions,
                                  std::size_t count, int threads, Interrupt &interrupt) {
    std::vector<std::int32_t> result(size * count);
    if (result.empty()) return result;
    if (dimensions == 2) find_nearest<2>(points, size, count, threads, interrupt, result.data());
    else find_nearest<3>(points, size, count, threads, interrupt, result.data());
    return result;
}

std::vector<std::int32_t> spread(const Point *points, std::size_t size, const std::int32_t *near,
                                 std::size_t width, std::size_t count, int threads,
                                 Interrupt &interrupt) {
    constexpr int of_each = 2;
    constexpr std::size_t block = 4096;
    std::vector<std::int32_t> result(size * count);
    parallel_for((size + block - 1) / block, threads, interrupt, [&](std::size_t b) {
        std::vector<char> chosen(width);
        for (std::size_t i = b * block; i < std::min(size, (b + 1) * block); ++i) {
            const std::int32_t *others = near + i * width;
            std::array<int, 4> seen{};
            std::size_t left = count;
            for (std::size_t k = 0; k < width; ++k) {
                const Point other = points[others[k]];
                const int quadrant = (other.x >= points[i].x) + 2 * (other.y >= points[i].y);
                chosen[k] = left > 0 && ++seen[quadrant] <= of_each;
                left -= chosen[k];
            }
            std::int32_t *row = result.data() + i * count;
            for (std::size_t k = 0; k < width; ++k) {
                if (!chosen[k] && left == 0) continue;
                left -= !chosen[k];
                *row++ = others[k];
            }
        }
    });
    return result;
}

}  // namespace sil
