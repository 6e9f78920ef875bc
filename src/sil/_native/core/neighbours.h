// Lists of near nodes for each node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/geometry.h"
#include "core/interrupt.h"

namespace sil {

// A list of `width` other nodes for each node, the best first. Copies share the lists.
class Neighbours {
  public:
    Neighbours() = default;
    Neighbours(std::vector<std::int32_t> lists, std::size_t size, std::size_t width);

    std::size_t size() const { return size_; }
    std::size_t width() const { return width_; }
    const std::int32_t *of(int node) const { return lists_->data() + node * stride_; }

    // The first `width` entries of each list.
    Neighbours narrowed(std::size_t width) const;

    // Selects `width` entries of each list that lie in all directions: two from each quadrant if
    // there are two, then the nearest of the rest. Their order stays the same.
    Neighbours spread(const Point *layout, std::size_t width, int threads,
                      Interrupt &interrupt) const;

    // Renumbers the nodes: node i of the result is node `order[i]` of this. Keeps the first `width`
    // entries of each list that are not below `first`. Each list must have that many.
    Neighbours renumbered(const std::vector<std::int32_t> &order, std::int32_t first,
                          std::size_t width, int threads, Interrupt &interrupt) const;

  private:
    std::shared_ptr<const std::vector<std::int32_t>> lists_;  // (size, stride)
    std::size_t size_ = 0, width_ = 0, stride_ = 0;
};

// The `count` nearest other nodes of each node of `among`, as indices into `among`, shape
// (among, count). They are sorted by distance, then by index. `count` must be less than the number
// of nodes. If more nodes are equally far than fit, those near the node in the tree are taken. The
// lists of many equal points then differ, and are found as quickly as others. Results do not depend
// on the number of threads. If interrupted, they are incomplete.
std::vector<std::int32_t> nearest(const Geometry &geometry, const std::vector<std::int32_t> &among,
                                  std::size_t count, int threads, Interrupt &interrupt);

}  // namespace sil
