// A k-d tree, to find the nearest of many points.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace sil {

// A balanced tree over points with D coordinates. Each node divides its points into halves of equal
// size, so equal points do no harm. Node i has the children 2i and 2i + 1, and all leaves have the
// same depth.
template <int D> class KdTree {
  public:
    using Place = std::array<double, D>;
    struct Entry {
        Place at;
        std::int32_t index;
    };
    struct Found {
        double square;  // of its distance
        std::int32_t index;
        bool operator<(const Found &other) const {
            return square < other.square || (square == other.square && index < other.index);
        }
    };
    static constexpr std::size_t root = 1;

    // Needs at least one entry. Afterwards, call split() for all nodes, or build() for the root.
    explicit KdTree(std::vector<Entry> entries) : entries_(std::move(entries)) {
        while ((entries_.size() >> depth_) > leaf_size) ++depth_;
        boxes_.resize(num_leaves() * 2);
    }

    int depth() const { return depth_; }
    std::size_t num_leaves() const { return std::size_t{1} << depth_; }
    const std::vector<Entry> &entries() const { return entries_; }

    // Where the entries of a node begin. They end where those of the next node begin.
    std::size_t begin(std::size_t node, int level) const {
        return (entries_.size() * (node - (std::size_t{1} << level))) >> level;
    }

    // The leaf that holds an entry.
    std::size_t leaf_of(std::size_t entry) const {
        return num_leaves() + (((entry + 1) << depth_) - 1) / entries_.size();
    }

    // Halves the entries of a node across the longer side of their box.
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

    // Splits a node and all nodes below it.
    void build(std::size_t node, int level) {
        split(node, level);
        if (level == depth_) return;
        build(2 * node, level + 1);
        build(2 * node + 1, level + 1);
    }

    // Updates `best`, which is sorted, with nearer entries from below a node. Skips nodes that are
    // at least as far as the last of `best`. `left` says whether any() entry is left below a node,
    // and whether it has() an entry.
    template <class Left>
    void search(std::size_t node, const Place &from, std::vector<Found> &best,
                const Left &left) const {
        if (!left.any(node) || away(node, from) >= best.back().square) return;
        while (node < num_leaves()) {
            const bool turned = away(2 * node + 1, from) < away(2 * node, from);
            search(2 * node + turned, from, best, left);
            node = 2 * node + !turned;
            if (!left.any(node) || away(node, from) >= best.back().square) return;
        }
        look_at(node, from, best, left);
    }

    // The same for one leaf.
    template <class Left>
    void look_at(std::size_t leaf, const Place &from, std::vector<Found> &best,
                 const Left &left) const {
        const std::size_t last = begin(leaf + 1, depth_);
        for (std::size_t i = begin(leaf, depth_); i < last; ++i) {
            Found found{0, entries_[i].index};
            for (int d = 0; d < D; ++d) {
                const double delta = entries_[i].at[d] - from[d];
                found.square += delta * delta;
            }
            if (!(found < best.back()) || !left.has(i)) continue;
            std::size_t place = best.size() - 1;
            for (; place > 0 && found < best[place - 1]; --place) best[place] = best[place - 1];
            best[place] = found;
        }
    }

  private:
    static constexpr std::size_t leaf_size = 8;
    struct Box {
        Place low, high;
    };

    double away(std::size_t node, const Place &from) const {
        double square = 0;
        for (int d = 0; d < D; ++d) {
            const double outside =
                std::max({boxes_[node].low[d] - from[d], from[d] - boxes_[node].high[d], 0.0});
            square += outside * outside;
        }
        return square;
    }

    std::vector<Entry> entries_;
    std::vector<Box> boxes_;
    int depth_ = 0;
};

}  // namespace sil
