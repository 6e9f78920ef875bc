// The nodes that can still be visited, and the nearest of them.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/geometry.h"
#include "core/kd_tree.h"

namespace sil {

// Short lists are scanned. Long ones are in a tree, which is rebuilt whenever half of its nodes are
// gone.
class AvailableNodes {
  public:
    AvailableNodes(const Point *points, const std::int32_t *nodes, std::size_t count);

    std::size_t size() const { return size_; }

    // The `count` nearest nodes to `from`, nearest first; fewer if there are no more. A `count`
    // of 0 means all, in any order.
    void nearest(Point from, std::size_t count, std::vector<std::int32_t> &result);

    // Removes a node, which must be available.
    void remove(std::int32_t node);

  private:
    static constexpr std::size_t scan_limit = 512;
    using Tree = KdTree<2>;

    void build_tree();
    void scan(Point from);
    bool is_there(std::size_t number) const { return !tree_ || !gone_[entry_of_[number]]; }

    const Point *points_;
    std::vector<std::int32_t> nodes_;  // available now or, with a tree, when it was built
    std::size_t size_;
    std::optional<Tree> tree_;           // over indices of that list
    std::vector<std::size_t> entry_of_;  // in the tree, of each index
    std::vector<char> gone_;             // of each entry
    std::vector<std::int32_t> left_;     // entries left below each node of the tree
    std::vector<Tree::Found> found_;     // scratch; finally has nodes, not indices
};

}  // namespace sil
