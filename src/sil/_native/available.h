// The nodes that may still be visited, and the nearest of them.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "geometry.h"
#include "kd_tree.h"

namespace sil {

// Short lists are scanned. Long ones lie in a tree, which is built anew whenever half of them are
// gone.
class AvailableNodes {
  public:
    AvailableNodes(const Point *points, const std::int32_t *nodes, std::size_t count);

    std::size_t size() const { return size_; }

    // The `count` nearest nodes to `from`, nearest first; fewer if there are no more. `count` 0
    // means all, in no special order.
    void nearest(Point from, std::size_t count, std::vector<std::int32_t> &result);

    // One of the nodes that are there.
    void remove(std::int32_t node);

  private:
    static constexpr std::size_t scan_limit = 512;
    using Tree = KdTree<2>;

    void build_tree();
    void scan(Point from);
    bool is_there(std::size_t number) const { return !tree_ || !gone_[entry_of_[number]]; }

    const Point *points_;
    std::vector<std::int32_t> nodes_;  // all that are left, or were when the tree was built
    std::size_t size_;
    std::optional<Tree> tree_;           // over the numbers of nodes in that list
    std::vector<std::size_t> entry_of_;  // in the tree, of each number
    std::vector<char> gone_;             // of each entry
    std::vector<std::int32_t> left_;     // entries below each node of the tree
    std::vector<Tree::Found> found_;     // scratch: nodes, not their numbers, at the end
};

}  // namespace sil
