#include "segments/exact.h"

#include <algorithm>
#include <array>

namespace sil {
namespace {

// Depth-first search over all orders and flags. Leaves a branch as soon as it costs too much.
template <class Distance> class Search {
  public:
    Search(const Instance &instance, Distance distance, const PartialSolutions &parts,
           std::size_t part)
        : limits_(instance.limits()), before_(parts.before(part)), after_(parts.after(part)),
          length_(parts.length), routed_(instance.has_depot()) {
        const std::int32_t *nodes = parts.nodes_of(part);
        for (int i = 0; i < length_; ++i) {
            depot_[i] = routed_ ? distance(nodes[i], 0) : 0;
            usage_[i] = routed_ ? instance.usage(nodes[i]) : Usage{};
            for (int j = 0; j < length_; ++j) cost_[i][j] = distance(nodes[i], nodes[j]);
            order_[i] = best_order_[i] = i;
            via_[i] = best_via_[i] = routed_ && i > 0 && parts.flags_of(part)[i];
        }
        for (int i = 1; i < length_; ++i) best_ += step(i - 1, i, via_[i]);
        // Ignore improvements that may be rounding errors.
        best_ -= 1e-12 * best_;
    }

    bool run() {
        extend(1, 0, before_ + usage_[0]);
        return improved_;
    }

    const std::array<int, max_exact_length> &order() const { return best_order_; }
    const std::array<bool, max_exact_length> &via() const { return best_via_; }

  private:
    double step(int from, int to, bool via) const {
        return via ? depot_[from] + depot_[to] : cost_[from][to];
    }

    // Chooses the node at `position` by swapping it into place. The last node is fixed.
    void extend(int position, double cost, const Usage &usage) {
        const int from = order_[position - 1];
        const bool last = position == length_ - 1;
        for (int pick = position; pick < (last ? length_ : length_ - 1); ++pick) {
            std::swap(order_[position], order_[pick]);
            const int to = order_[position];
            for (const bool via : {false, true}) {
                if (via && !routed_) break;
                Usage route = usage_[to] + Usage::path(via ? depot_[to] : cost_[from][to]);
                if (!via) route += usage;
                // A route that cannot even return from here is too long.
                const Usage rest = last ? after_ : Usage::path(depot_[to]);
                const double total = cost + step(from, to, via);
                if (total >= best_ || (routed_ && !limits_.allow(route + rest))) continue;
                via_[position] = via;
                if (!last) {
                    extend(position + 1, total, route);
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

    const Limits &limits_;
    Usage before_, after_;
    int length_;
    bool routed_;
    std::array<std::array<double, max_exact_length>, max_exact_length> cost_;
    std::array<double, max_exact_length> depot_;
    std::array<Usage, max_exact_length> usage_;
    std::array<int, max_exact_length> order_, best_order_;
    std::array<bool, max_exact_length> via_, best_via_;
    double best_ = 0;
    bool improved_ = false;
};

}  // namespace

void reconstruct_exactly(const Instance &instance, const PartialSolutions &parts,
                         std::size_t part) {
    instance.geometry().visit([&](auto distance) {
        Search<decltype(distance)> search(instance, distance, parts, part);
        if (!search.run()) return;
        std::int32_t *nodes = parts.nodes_of(part);
        std::array<std::int32_t, max_exact_length> old;
        std::copy(nodes, nodes + parts.length, old.begin());
        for (int i = 0; i < parts.length; ++i) {
            nodes[i] = old[search.order()[i]];
            if (instance.has_depot() && i > 0) parts.flags_of(part)[i] = search.via()[i];
        }
    });
}

}  // namespace sil
