#include "nearest.h"

#include <algorithm>
#include <array>
#include <limits>

namespace sil {
namespace {

// A balanced k-d tree: each node halves its points by their number, whatever their values, so
// that equal points do no harm. Node i has the children 2i and 2i + 1, the root is node 1, and all
// leaves are of one depth.
template <int D> class Tree {
  public:
    Tree(const double *points, std::size_t size, int threads, Interrupt &interrupt)
        : entries_(size) {
        for (std::size_t i = 0; i < size; ++i) {
            std::copy_n(points + i * D, D, entries_[i].at.begin());
            entries_[i].index = static_cast<std::int32_t>(i);
        }
        while ((size >> depth_) > leaf_size) ++depth_;
        boxes_.resize(std::size_t{2} << depth_);
        // Level by level until there is a subtree for every thread, and a few more.
        const int top = size > 10'000 ? std::min(depth_, 6) : 0;
        for (int level = 0; level < top; ++level)
            parallel_for(std::size_t{1} << level, threads, interrupt,
                         [&](std::size_t i) { split((std::size_t{1} << level) + i, level); });
        parallel_for(std::size_t{1} << top, threads, interrupt,
                     [&](std::size_t i) { build((std::size_t{1} << top) + i, top); });
    }

    // Finds the neighbours of all points, in the order of the tree: those of one leaf look at the
    // same part of it.
    void find(std::size_t count, int threads, Interrupt &interrupt, std::int32_t *result) const {
        const std::size_t leaves = std::size_t{1} << depth_;
        const std::size_t block = std::min<std::size_t>(leaves, 64);
        parallel_for(leaves / block, threads, interrupt, [&](std::size_t i) {
            std::vector<Found> best(count);
            for (std::size_t leaf = leaves + i * block; leaf < leaves + (i + 1) * block; ++leaf)
                for (std::size_t own = begin(leaf, depth_); own < begin(leaf + 1, depth_); ++own) {
                    find_one(leaf, own, best);
                    std::int32_t *row = result + entries_[own].index * count;
                    for (const Found &found : best) *row++ = found.index;
                }
        });
    }

  private:
    static constexpr std::size_t leaf_size = 8;
    using Place = std::array<double, D>;

    struct Entry {
        Place at;
        std::int32_t index;
    };
    struct Box {
        Place low, high;
    };
    struct Found {
        double square;
        std::int32_t index;
        bool operator<(const Found &other) const {
            return square < other.square || (square == other.square && index < other.index);
        }
    };

    // Where a node's points begin; those of the node behind it on its level begin at their end.
    std::size_t begin(std::size_t node, int level) const {
        return (entries_.size() * (node - (std::size_t{1} << level))) >> level;
    }

    // Halves the points of a node across the longer side of their box.
    void split(std::size_t node, int level) {
        const std::size_t first = begin(node, level), last = begin(node + 1, level);
        Box &box = boxes_[node];
        box.low = box.high = entries_[first].at;
        for (std::size_t i = first + 1; i < last; ++i)
            for (int d = 0; d < D; ++d) {
                box.low[d] = std::min(box.low[d], entries_[i].at[d]);
                box.high[d] = std::max(box.high[d], entries_[i].at[d]);
            }
        if (level == depth_) return;
        int widest = 0;
        for (int d = 1; d < D; ++d)
            if (box.high[d] - box.low[d] > box.high[widest] - box.low[widest]) widest = d;
        const auto entry = entries_.begin();
        std::nth_element(entry + first, entry + begin(2 * node + 1, level + 1), entry + last,
                         [widest](const Entry &a, const Entry &b) {
                             return a.at[widest] < b.at[widest];
                         });
    }

    void build(std::size_t node, int level) {
        split(node, level);
        if (level == depth_) return;
        build(2 * node, level + 1);
        build(2 * node + 1, level + 1);
    }

    double away(std::size_t node, const Place &from) const {
        double square = 0;
        for (int d = 0; d < D; ++d) {
            const double outside =
                std::max({boxes_[node].low[d] - from[d], from[d] - boxes_[node].high[d], 0.0});
            square += outside * outside;
        }
        return square;
    }

    // From the point's own leaf upwards, each time into the other half if it can hold nearer ones.
    void find_one(std::size_t leaf, std::size_t own, std::vector<Found> &best) const {
        const Place &from = entries_[own].at;
        best.assign(best.size(), {std::numeric_limits<double>::infinity(), -1});
        look_at(leaf, own, from, best);
        for (std::size_t node = leaf; node > 1; node /= 2)
            if (away(node ^ 1, from) < best.back().square) search(node ^ 1, own, from, best);
    }

    void search(std::size_t node, std::size_t own, const Place &from,
                std::vector<Found> &best) const {
        while ((node >> depth_) == 0) {
            const double left = away(2 * node, from), right = away(2 * node + 1, from);
            const bool turned = right < left;
            const std::size_t nearer = 2 * node + turned;
            if ((turned ? right : left) >= best.back().square) return;
            search(nearer, own, from, best);
            if ((turned ? left : right) >= best.back().square) return;
            node = nearer ^ 1;
        }
        look_at(node, own, from, best);
    }

    void look_at(std::size_t leaf, std::size_t own, const Place &from,
                 std::vector<Found> &best) const {
        const std::size_t last = begin(leaf + 1, depth_);
        for (std::size_t i = begin(leaf, depth_); i < last; ++i) {
            Found found{0, entries_[i].index};
            for (int d = 0; d < D; ++d) {
                const double delta = entries_[i].at[d] - from[d];
                found.square += delta * delta;
            }
            if (!(found < best.back()) || i == own) continue;
            std::size_t place = best.size() - 1;
            for (; place > 0 && found < best[place - 1]; --place) best[place] = best[place - 1];
            best[place] = found;
        }
    }

    std::vector<Entry> entries_;
    std::vector<Box> boxes_;
    int depth_ = 0;
};

template <int D>
void find_nearest(const double *points, std::size_t size, std::size_t count, int threads,
                  Interrupt &interrupt, std::int32_t *result) {
    const Tree<D> tree(points, size, threads, interrupt);
    if (!interrupt.is_set()) tree.find(count, threads, interrupt, result);
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
