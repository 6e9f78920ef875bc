#include "construct/joining.h"

#include <algorithm>

#include "construct/fragments.h"

namespace sil {
namespace {

class Joining {
  public:
    // With savings, node 0 is the depot and in no path, so one neighbour fewer is used.
    Joining(const Instance &instance, const Neighbours &neighbours, bool with_savings, int threads,
            Interrupt &interrupt)
        : instance_(instance), neighbours_(neighbours), with_savings_(with_savings),
          width_(std::max<std::size_t>(neighbours.width(), with_savings) - with_savings),
          threads_(threads), interrupt_(interrupt), fragments_(instance, with_savings) {}

    // Joins nodes with near nodes; false if interrupted.
    bool join_nodes() {
        const int first = with_savings_;
        return join(instance_.size() * width_ * 2 / 3, [&](const auto &propose) {
            for (int node = first; node < static_cast<int>(instance_.size()); ++node) {
                const std::int32_t *others = neighbours_.of(node);
                std::size_t left = width_;
                for (std::size_t k = 0; k < neighbours_.width() && left > 0; ++k) {
                    const int other = others[k];
                    if (other < first) continue;
                    --left;
                    // What both propose is sorted once.
                    if (other > node || !lists(other, node)) propose(node, other);
                }
            }
        });
    }

    // Joins ends with near ends. The nearest may be the other end of the same path, so at least two
    // are looked at, and paths become fewer with every call.
    bool join_ends() {
        const std::vector<std::int32_t> ends = fragments_.ends();
        const std::size_t width = std::min(std::max<std::size_t>(width_, 2), ends.size() - 1);
        const auto near = nearest(instance_.geometry(), ends, width, threads_, interrupt_);
        if (interrupt_.is_set()) return false;
        return join(near.size(), [&](const auto &propose) {
            for (std::size_t i = 0; i < near.size(); ++i) propose(ends[i / width], ends[near[i]]);
        });
    }

    const Fragments &fragments() const { return fragments_; }

  private:
    // Whether a node proposes another one: as a neighbour, of as many as count.
    bool lists(int node, int other) const {
        const std::int32_t *near = neighbours_.of(node);
        return std::find(near, near + width_, other) != near + width_;
    }

    template <class ForEachPair> bool join(std::size_t pairs, const ForEachPair &for_each_pair) {
        run_workers(1, interrupt_, [&](int) {
            fragments_.reserve(pairs);
            instance_.geometry().visit([&](const auto &distance) {
                for_each_pair([&](int a, int b) {
                    double weight = distance(a, b);
                    if (with_savings_) weight -= distance(a, 0) + distance(0, b);
                    fragments_.propose(weight, a, b);
                });
            });
            fragments_.join_proposed(interrupt_);
        });
        return !interrupt_.is_set();
    }

    const Instance &instance_;
    const Neighbours &neighbours_;
    bool with_savings_;
    std::size_t width_;
    int threads_;
    Interrupt &interrupt_;
    Fragments fragments_;
};

// Joins nodes with near nodes, then ends with near ends, until one path has all nodes.
std::optional<Routes> join_into_one(Joining joining) {
    bool going = joining.fragments().count() < 2 || joining.join_nodes();
    while (going && joining.fragments().count() > 1) going = joining.join_ends();
    if (!going) return std::nullopt;
    return joining.fragments().paths();
}

}  // namespace

std::optional<Routes> greedy_edge(const Instance &instance, const Neighbours &neighbours,
                                  int threads, Interrupt &interrupt) {
    return join_into_one({instance, neighbours, false, threads, interrupt});
}

std::optional<Routes> savings(const Instance &instance, const Neighbours &neighbours, int threads,
                              Interrupt &interrupt) {
    Joining joining(instance, neighbours, true, threads, interrupt);
    if (instance.has_depot()) {
        if (!joining.join_nodes()) return std::nullopt;
        return joining.fragments().paths();
    }
    auto tour = join_into_one(std::move(joining));
    if (!tour) return std::nullopt;
    tour->nodes.insert(tour->nodes.begin(), 0);
    tour->starts = {0};
    return tour;
}

}  // namespace sil
