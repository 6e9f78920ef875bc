#include "exact.h"

#include <algorithm>
#include <array>

namespace sil {
namespace {

// Depth first over all orders and flags, giving up a branch as soon as it costs too much.
template <class Distance> class Search {
  public:
    Search(Distance distance, const Loads &loads, int length, const std::int32_t *nodes,
           const bool *via)
        : loads_(loads), length_(length), routed_(loads.demand != nullptr) {
        for (int i = 0; i < length; ++i) {
            depot_[i] = routed_ ? distance(nodes[i], 0) : 0;
            demand_[i] = routed_ ? loads.demand[nodes[i]] : 0;
            for (int j = 0; j < length; ++j) cost_[i][j] = distance(nodes[i], nodes[j]);
            order_[i] = best_order_[i] = i;
            via_[i] = best_via_[i] = routed_ && i > 0 && via[i];
        }
        for (int i = 1; i < length; ++i) best_ += step(i - 1, i, via_[i]);
        // Only a real improvement counts, not a last digit.
        best_ -= 1e-12 * best_;
    }

    bool run() {
        extend(1, 0, loads_.before + demand_[0]);
        return improved_;
    }

    const std::array<int, max_exact_length> &order() const { return best_order_; }
    const std::array<bool, max_exact_length> &via() const { return best_via_; }

  private:
    double step(int from, int to, bool via) const {
        return via ? depot_[from] + depot_[to] : cost_[from][to];
    }

    // Chooses the node at `position`, the last of them being fixed, by a swap into its place.
    void extend(int position, double cost, std::int64_t load) {
        const int from = order_[position - 1];
        const bool last = position == length_ - 1;
        for (int pick = position; pick < (last ? length_ : length_ - 1); ++pick) {
            std::swap(order_[position], order_[pick]);
            const int to = order_[position];
            for (const bool via : {false, true}) {
                if (via && !routed_) break;
                const std::int64_t carried =
                    demand_[to] + (via ? 0 : load) + (last ? loads_.after : 0);
                const double total = cost + step(from, to, via);
                if (total >= best_ || (routed_ && carried > loads_.capacity)) continue;
                via_[position] = via;
                if (!last) {
                    extend(position + 1, total, carried);
                    continue;
                }
                best_ = total;
                best_order_ = order_;
                best_via_ = via_;
                improved_ = true;
            }
            std::swap(order_[position], order_[pick]);
        }
    }

    const Loads &loads_;
    int length_;
    bool routed_;
    std::array<std::array<double, max_exact_length>, max_exact_length> cost_;
    std::array<double, max_exact_length> depot_;
    std::array<std::int64_t, max_exact_length> demand_;
    std::array<int, max_exact_length> order_, best_order_;
    std::array<bool, max_exact_length> via_, best_via_;
    double best_ = 0;
    bool improved_ = false;
};

}  // namespace

void reconstruct_exactly(const Geometry &geometry, const Loads &loads, int length,
                         std::int32_t *nodes, bool *via_depot) {
    geometry.visit([&](auto distance) {
        Search<decltype(distance)> search(distance, loads, length, nodes, via_depot);
        if (!search.run()) return;
        std::array<std::int32_t, max_exact_length> old;
        std::copy(nodes, nodes + length, old.begin());
        for (int i = 0; i < length; ++i) {
            nodes[i] = old[search.order()[i]];
            if (loads.demand && i > 0) via_depot[i] = search.via()[i];
        }
    });
}

}  // namespace sil
