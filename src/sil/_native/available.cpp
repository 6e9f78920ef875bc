#include "available.h"

#include <algorithm>
#include <cmath>

namespace sil {

AvailableNodes::AvailableNodes(const Point *points, const std::int32_t *nodes, std::size_t count)
    : points_(points), nodes_(nodes, nodes + count), size_(count) {}

void AvailableNodes::build_grid() {
    if (gridded_) {
        nodes_.clear();
        for (const auto &cell : cells_) nodes_.insert(nodes_.end(), cell.begin(), cell.end());
        // Grids of other sizes order nodes differently; equal results need one order.
        std::sort(nodes_.begin(), nodes_.end());
    }
    gridded_ = size_ > scan_limit;
    built_size_ = size_;
    cells_.clear();
    if (!gridded_) return;
    Bounds bounds(points_[nodes_[0]]);
    for (const int node : nodes_) bounds.include(points_[node]);
    low_ = bounds.low;
    const double few = std::sqrt(bounds.width() * bounds.height() * 3 / size_);
    cell_size_ = std::max(few, std::max(bounds.side(), 1e-300) / 4096);
    columns_ = static_cast<int>(bounds.width() / cell_size_) + 1;
    rows_ = static_cast<int>(bounds.height() / cell_size_) + 1;
    cells_.resize(static_cast<std::size_t>(columns_) * rows_);
    for (const int node : nodes_) cells_[cell_of(points_[node])].push_back(node);
    nodes_.clear();
}

int AvailableNodes::cell_of(Point point) const {
    const int x = static_cast<int>((point.x - low_.x) / cell_size_);
    const int y = static_cast<int>((point.y - low_.y) / cell_size_);
    return std::clamp(y, 0, rows_ - 1) * columns_ + std::clamp(x, 0, columns_ - 1);
}

void AvailableNodes::remove(std::int32_t node) {
    // Not before: to look at one state, a scan is enough.
    if (!gridded_ && size_ > scan_limit) build_grid();
    auto &list = gridded_ ? cells_[cell_of(points_[node])] : nodes_;
    list.erase(std::find(list.begin(), list.end(), node));
    --size_;
    if (gridded_ && 2 * size_ < built_size_) build_grid();
}

void AvailableNodes::nearest(Point from, std::size_t count, std::vector<std::int32_t> &result) {
    const bool all = count == 0;
    count = all ? size_ : std::min(count, size_);
    gather(from, count);
    if (count < found_.size())
        std::nth_element(found_.begin(), found_.begin() + count, found_.end());
    if (!all) std::sort(found_.begin(), found_.begin() + count);
    result.clear();
    for (std::size_t i = 0; i < count; ++i) result.push_back(found_[i].second);
}

// Collects at least the `count` nearest, ring by ring around the cell of `from`.
void AvailableNodes::gather(Point from, std::size_t count) {
    found_.clear();
    const auto add = [&](const std::vector<std::int32_t> &list) {
        for (const int node : list) {
            const double dx = points_[node].x - from.x, dy = points_[node].y - from.y;
            found_.emplace_back(dx * dx + dy * dy, node);
        }
    };
    if (!gridded_ || count >= size_) {
        if (gridded_)
            for (const auto &cell : cells_) add(cell);
        else add(nodes_);
        return;
    }
    const int home = cell_of(from), home_x = home % columns_, home_y = home / columns_;
    const int last = std::max(columns_, rows_);
    std::size_t inside = 0;  // how many are certainly nearer than anything not yet looked at
    for (int ring = 0; ring <= last && inside < count; ++ring) {
        for (int y = std::max(home_y - ring, 0); y <= std::min(home_y + ring, rows_ - 1); ++y) {
            const bool edge = y == home_y - ring || y == home_y + ring;
            const int step = edge || ring == 0 ? 1 : 2 * ring;
            for (int x = home_x - ring; x <= home_x + ring; x += step)
                if (x >= 0 && x < columns_) add(cells_[static_cast<std::size_t>(y) * columns_ + x]);
        }
        if (found_.size() < count) continue;
        // Beyond this ring, everything is farther than the ring's nearest outer border.
        const double left = from.x - (low_.x + (home_x - ring) * cell_size_);
        const double right = low_.x + (home_x + ring + 1) * cell_size_ - from.x;
        const double below = from.y - (low_.y + (home_y - ring) * cell_size_);
        const double above = low_.y + (home_y + ring + 1) * cell_size_ - from.y;
        const double safe = std::max(0.0, std::min({left, right, below, above}));
        inside = std::count_if(found_.begin(), found_.end(),
                               [&](const auto &entry) { return entry.first <= safe * safe; });
    }
}

}  // namespace sil
