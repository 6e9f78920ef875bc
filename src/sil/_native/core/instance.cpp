#include "core/instance.h"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <utility>

namespace sil {

struct Instance::Known {
    std::mutex mutex;
    Neighbours nearest;
    std::size_t expected = 0;  // length of lists that will be asked for
};

Instance::Instance(Geometry geometry, std::vector<Point> layout, std::vector<std::int64_t> demand,
                   std::vector<double> service, Limits limits)
    : geometry_(std::move(geometry)), layout_(std::move(layout)),
      bounds_(bounds_of(this->layout(), size())), demand_(std::move(demand)),
      service_(std::move(service)), limits_(limits), known_(std::make_shared<Known>()) {}

std::optional<Neighbours> Instance::nearest(std::size_t count, int threads,
                                            Interrupt &interrupt) const {
    std::size_t width = count;
    {
        const std::lock_guard<std::mutex> lock(known_->mutex);
        const Neighbours &known = known_->nearest;
        if (known.size() == size() && known.width() >= count) return known.narrowed(count);
        width = std::max(width, std::min(known_->expected, size() - 1));
    }
    // Not under the lock: a caller that waits for it may hold the GIL, which this work needs.
    std::vector<std::int32_t> all(size());
    std::iota(all.begin(), all.end(), 0);
    Neighbours found(sil::nearest(geometry_, all, width, threads, interrupt), size(), width);
    if (interrupt.is_set()) return std::nullopt;
    const std::lock_guard<std::mutex> lock(known_->mutex);
    if (known_->nearest.width() <= width) known_->nearest = found;
    return found.narrowed(count);
}

void Instance::expect_nearest(std::size_t count) const {
    const std::lock_guard<std::mutex> lock(known_->mutex);
    known_->expected = std::max(known_->expected, count);
}

Instance Instance::renumbered(const std::vector<std::int32_t> &order) const {
    std::vector<Point> layout;
    if (!layout_.empty())
        for (const int node : order) layout.push_back(layout_[node]);
    std::vector<std::int64_t> demand;
    if (has_depot())
        for (const int node : order) demand.push_back(demand_[node]);
    std::vector<double> service;
    if (!service_.empty())
        for (const int node : order) service.push_back(service_[node]);
    return {geometry_.subset(order), std::move(layout), std::move(demand), std::move(service),
            limits_};
}

Instance Instance::with_demand(std::vector<std::int64_t> demand) const {
    Instance other = *this;
    other.demand_ = std::move(demand);
    return other;
}

double Instance::cost(const Routes &routes) const {
    return geometry_.visit([&](const auto &distance) {
        double total = 0;
        for (std::size_t route = 0; route < routes.count(); ++route) {
            const std::size_t end = routes.end(route);
            int before = has_depot() ? 0 : routes.nodes[end - 1];
            for (std::size_t i = routes.begin(route); i < end; ++i) {
                const int node = routes.nodes[i];
                if (node != before) total += distance(before, node);
                before = node;
            }
            if (has_depot()) total += distance(before, 0);
        }
        return total;
    });
}

}  // namespace sil
