// The nodes that may still be visited, and the nearest of them.
#pragma once

#include <cstdint>
#include <vector>

#include "geometry.h"

namespace sil {

// Short lists are scanned. Long ones lie in a grid of a few nodes a cell, which is built anew
// whenever half of them are gone, so that a query looks at about as many cells at any time.
class AvailableNodes {
  public:
    AvailableNodes(const Point *points, const std::int32_t *nodes, std::size_t count);

    std::size_t size() const { return size_; }

    // The `count` nearest nodes to `from`, nearest first; fewer if there are no more. `count` 0
    // means all, in no special order.
    void nearest(Point from, std::size_t count, std::vector<std::int32_t> &result);

    void remove(std::int32_t node);

  private:
    static constexpr std::size_t scan_limit = 512;

    void build_grid();
    int cell_of(Point point) const;
    void gather(Point from, std::size_t count);

    const Point *points_;
    std::vector<std::int32_t> nodes_;  // all that are left, while scanned or to build a grid from
    std::size_t size_, built_size_ = 0;
    bool gridded_ = false;
    std::vector<std::vector<std::int32_t>> cells_;
    Point low_{};
    double cell_size_ = 1;
    int columns_ = 1, rows_ = 1;
    std::vector<std::pair<double, std::int32_t>> found_;  // scratch: squared distance, node
};

}  // namespace sil
