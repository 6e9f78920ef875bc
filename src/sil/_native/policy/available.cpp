#include "policy/available.h"

#include <algorithm>
#include <limits>

namespace sil {

AvailableNodes::AvailableNodes(const Point *points, const std::int32_t *nodes, std::size_t count)
    : points_(points), nodes_(nodes, nodes + count), size_(count) {}

void AvailableNodes::build_tree() {
    std::vector<std::int32_t> nodes;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
        if (is_there(i)) nodes.push_back(nodes_[i]);
    nodes_ = std::move(nodes);
    // Sorted for reproducible results, and to find nodes that are removed.
    std::sort(nodes_.begin(), nodes_.end());
    tree_.reset();
    if (size_ <= scan_limit) return;
    std::vector<Tree::Entry> entries(size_);
    for (std::size_t i = 0; i < size_; ++i)
        entries[i] = {{points_[nodes_[i]].x, points_[nodes_[i]].y}, static_cast<std::int32_t>(i)};
    tree_.emplace(std::move(entries));
    tree_->build(Tree::root, 0);
    entry_of_.resize(size_);
    for (std::size_t entry = 0; entry < size_; ++entry)
        entry_of_[tree_->entries()[entry].index] = entry;
    gone_.assign(size_, false);
    left_.assign(2 * tree_->num_leaves(), 0);
    for (int level = 0; level <= tree_->depth(); ++level)
        for (std::size_t node = std::size_t{1} << level; node < std::size_t{2} << level; ++node)
            left_[node] = static_cast<std::int32_t>(tree_->begin(node + 1, level) -
                                                    tree_->begin(node, level));
}

void AvailableNodes::remove(std::int32_t node) {
    // Not earlier: for a single observation, a scan is enough.
    if (!tree_ && size_ > scan_limit) build_tree();
    --size_;
    if (!tree_) {
        nodes_.erase(std::find(nodes_.begin(), nodes_.end(), node));
        return;
    }
    std::size_t number = std::lower_bound(nodes_.begin(), nodes_.end(), node) - nodes_.begin();
    while (!is_there(number)) ++number;  // the same node may occur twice
    const std::size_t entry = entry_of_[number];
    gone_[entry] = true;
    for (std::size_t at = tree_->leaf_of(entry); at >= Tree::root; at /= 2) --left_[at];
    if (2 * size_ < nodes_.size()) build_tree();
}

void AvailableNodes::nearest(Point from, std::size_t count, std::vector<std::int32_t> &result) {
    const bool all = count == 0;
    count = all ? size_ : std::min(count, size_);
    if (tree_ && count < size_) {
        struct Left {
            const AvailableNodes &of;
            bool any(std::size_t node) const { return of.left_[node] > 0; }
            bool has(std::size_t entry) const { return !of.gone_[entry]; }
        };
        found_.assign(count, {std::numeric_limits<double>::infinity(), -1});
        tree_->search(Tree::root, {from.x, from.y}, found_, Left{*this});
        for (Tree::Found &found : found_) found.index = nodes_[found.index];
    } else {
        scan(from);
        if (count < found_.size())
            std::nth_element(found_.begin(), found_.begin() + count, found_.end());
        if (!all) std::sort(found_.begin(), found_.begin() + count);
    }
    result.clear();
    for (std::size_t i = 0; i < count; ++i) result.push_back(found_[i].index);
}

void AvailableNodes::scan(Point from) {
    found_.clear();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (!is_there(i)) continue;
        const double dx = points_[nodes_[i]].x - from.x, dy = points_[nodes_[i]].y - from.y;
        found_.push_back({dx * dx + dy * dy, nodes_[i]});
    }
}

}  // namespace sil
