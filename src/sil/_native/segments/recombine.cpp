#include "segments/recombine.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

namespace sil {
namespace {

constexpr int depot = -1;

// Smaller gains are rounding errors, which could cause endless loops.
constexpr double least_gain = 1e-12;  // relative to the length that is replaced

using Pair = std::array<int, 2>;  // the two neighbours of a node

int other_side(const Pair &links, int from) { return links[0] == from ? links[1] : links[0]; }

// The two links of each node. A tour has no links to a depot.
std::vector<Pair> links_of(const Instance &instance, const Routes &ring) {
    std::vector<Pair> links(instance.size(), Pair{depot, depot});
    std::vector<char> via_depot(ring.nodes.size(), false);
    if (instance.has_depot())
        for (const int start : ring.starts) via_depot[start] = true;
    for (std::size_t i = 0; i < ring.nodes.size(); ++i) {
        const std::size_t next = i + 1 < ring.nodes.size() ? i + 1 : 0;
        if (via_depot[next]) continue;
        links[ring.nodes[i]][1] = ring.nodes[next];
        links[ring.nodes[next]][0] = ring.nodes[i];
    }
    return links;
}

// The links of `own` that `other` does not have: the first `size` of the pair.
struct Only {
    Only(const Pair &own, const Pair &other) {
        std::array<bool, 2> used{};
        for (const int link : own) {
            if (!used[0] && other[0] == link) used[0] = true;
            else if (!used[1] && other[1] == link) used[1] = true;
            else links[size++] = link;
        }
    }

    Pair links{};
    int size = 0;
};

struct Component {
    std::vector<std::int32_t> nodes;
    double before = 0, after = 0;  // length of the edges that only `old` or only `rebuilt` has

    double gain() const { return before - after; }
};

bool is_shorter(double before, double after) { return before - after > least_gain * before; }

class Recombination {
  public:
    Recombination(const Instance &instance, const std::int32_t *run, const Routes &old,
                  const Routes &rebuilt)
        : instance_(instance), count_(old.nodes.size()), run_of_(run), old_ring_(old),
          old_(links_of(instance, old)), new_(links_of(instance, rebuilt)),
          rebuilt_(instance.size(), false), stamp_(instance.size(), 0), root_(instance.size()) {
        instance.geometry().visit([this](const auto &distance) { find_components(distance); });
    }

    Recombined run() {
        double gain = 0;
        if (!has_depot()) find_portals_beyond();
        for (std::size_t first = 0; first < components_.size();) {
            std::size_t last = first;
            while (last < components_.size() && run_[last] == run_[first]) ++last;
            gain += improve_run(first, last);
            first = last;
        }
        return {has_depot() ? routes() : tour(), gain};
    }

  private:
    bool has_depot() const { return instance_.has_depot(); }
    const Pair &links(int node) const { return rebuilt_[node] ? new_[node] : old_[node]; }

    int find(int node) {
        while (root_[node] != node) node = root_[node] = root_[root_[node]];
        return node;
    }

    template <class Distance> void find_components(const Distance &distance) {
        std::iota(root_.begin(), root_.end(), 0);
        for_each_difference([&](int node, int link, bool) {
            if (link != depot) root_[find(node)] = find(link);
        });
        std::vector<int> component(root_.size(), -1);  // of each root
        for (std::size_t i = 0; i < count_; ++i) {
            const int node = old_ring_.nodes[i];
            if (Only(old_[node], new_[node]).size == 0) continue;
            int &number = component[find(node)];
            if (number < 0) {
                number = static_cast<int>(components_.size());
                components_.emplace_back();
                run_.push_back(run_of_[i]);
            }
            components_[number].nodes.push_back(node);
        }
        for_each_difference([&](int node, int link, bool is_old) {
            if (link != depot && link < node) return;  // its other end has counted it
            Component &of = components_[component[find(node)]];
            (is_old ? of.before : of.after) += distance(node, link == depot ? 0 : link);
        });
    }

    template <class Visit> void for_each_difference(const Visit &visit) const {
        for (std::size_t i = 0; i < count_; ++i) {
            const int node = old_ring_.nodes[i];
            const Only before(old_[node], new_[node]), after(new_[node], old_[node]);
            for (int side = 0; side < before.size; ++side) visit(node, before.links[side], true);
            for (int side = 0; side < after.size; ++side) visit(node, after.links[side], false);
        }
    }

    // Improves a run, which has these components, and returns the gain.
    double improve_run(std::size_t first, std::size_t last) {
        double gain = 0, before = 0, after = 0;
        std::vector<const Component *> alone, together;
        for (std::size_t i = first; i < last; ++i) alone.push_back(&components_[i]);
        std::stable_sort(alone.begin(), alone.end(), [](const Component *a, const Component *b) {
            return a->gain() > b->gain();
        });
        for (const Component *one : alone) {
            const bool shorter = is_shorter(one->before, one->after);
            const bool separate = has_depot() ? shorter && exchange({one}) : keeps_pairs(*one);
            if (separate && shorter) {
                set(*one, true);
                gain += one->gain();
            } else if (!separate) {
                together.push_back(one);
                before += one->before;
                after += one->after;
            }
        }
        if (together.empty() || !is_shorter(before, after)) return gain;
        if (has_depot()) {
            if (!exchange(together)) return gain;
        } else {
            for (const Component *one : together) set(*one, true);
        }
        return gain + before - after;
    }

    void set(const Component &component, bool rebuilt) {
        for (const int node : component.nodes) rebuilt_[node] = rebuilt;
    }

    // A portal is a node with one link that both tours have and one that differs. This follows the
    // common link of each portal to the next portal.
    void find_portals_beyond() {
        beyond_.resize(root_.size(), depot);
        for (const Component &component : components_)
            for (const int portal : component.nodes) {
                const Only own(old_[portal], new_[portal]);
                if (own.size != 1) continue;
                int from = portal, at = other_side(old_[portal], own.links[0]);
                while (Only(old_[at], new_[at]).size == 0) {
                    const int next = other_side(old_[at], from);
                    from = at;
                    at = next;
                }
                beyond_[portal] = at;
            }
    }

    // Whether both tours, entering the component at the same portals, leave it at the same portals
    // and visit all of it.
    bool keeps_pairs(const Component &component) {
        int links = 0, visited = 0;
        bool is_whole = true;
        for (const int node : component.nodes) {
            const Only after(new_[node], old_[node]);
            links += after.size;
            if (after.size != 1 || is_inside(node)) continue;
            is_whole = false;
            int ignored = 0;
            if (leave(node, old_, new_, ignored) != leave(node, new_, old_, visited)) return false;
        }
        return is_whole || visited == links;
    }

    // Whether the tours return from a portal to the same component before they visit another.
    bool is_inside(int portal) { return find(beyond_[portal]) == find(portal); }

    // Follows the tour `own` from a portal to where it leaves the component; counts its links.
    int leave(int portal, const std::vector<Pair> &own, const std::vector<Pair> &other,
              int &links) {
        while (true) {
            int from = portal, at = Only(own[portal], other[portal]).links[0];
            for (++links; Only(own[at], other[at]).size == 2; ++links) {
                const int next = other_side(own[at], from);
                from = at;
                at = next;
            }
            if (!is_inside(at)) return at;
            portal = beyond_[at];
        }
    }

    // Exchanges components if all routes through them are then valid and within the limits.
    bool exchange(const std::vector<const Component *> &components) {
        for (const Component *one : components) set(*one, true);
        ++now_;
        for (const Component *one : components)
            for (const int node : one->nodes)
                if (stamp_[node] != now_ && !is_route_valid(node)) {
                    for (const Component *undone : components) set(*undone, false);
                    return false;
                }
        return true;
    }

    bool is_route_valid(int node) {
        Usage usage = instance_.usage(node);
        stamp_[node] = now_;
        for (const int first : links(node)) {
            int from = node, at = first;
            while (at != depot) {
                if (at == node) return false;  // a ring without a depot
                usage += instance_.usage(at);
                stamp_[at] = now_;
                const int next = other_side(links(at), from);
                from = at;
                at = next;
            }
        }
        const Limits &limits = instance_.limits();
        return limits.allow(usage + Usage::path(limits.bounded() ? length_through(node) : 0));
    }

    // Length of the route of a node.
    double length_through(int node) const {
        return instance_.geometry().visit([&](const auto &distance) {
            double length = 0;
            for (const int first : links(node)) {
                int from = node, at = first;
                while (at != depot) {
                    length += distance(from, at);
                    const int next = other_side(links(at), from);
                    from = at;
                    at = next;
                }
                length += distance(from, 0);
            }
            return length;
        });
    }

    Routes tour() const {
        Routes ring;
        ring.open();
        ring.nodes.reserve(count_);
        const int first = old_ring_.nodes[0];
        int from = links(first)[0], at = first;
        do {
            ring.nodes.push_back(at);
            const int next = ring.nodes.size() == 1 ? links(at)[1] : other_side(links(at), from);
            from = at;
            at = next;
        } while (at != first && ring.nodes.size() < count_);
        require_all(ring);
        return ring;
    }

    Routes routes() {
        Routes ring;
        ring.nodes.reserve(count_);
        ++now_;
        for (const int first : old_ring_.nodes) {
            const Pair &ends = links(first);
            if (stamp_[first] == now_ || (ends[0] != depot && ends[1] != depot)) continue;
            ring.open();
            int from = depot, at = first;
            while (at != depot) {
                ring.nodes.push_back(at);
                stamp_[at] = now_;
                const int next = other_side(links(at), from);
                from = at;
                at = next;
            }
        }
        require_all(ring);
        return ring;
    }

    void require_all(const Routes &ring) const {
        if (ring.nodes.size() != count_) throw std::logic_error("recombination lost nodes");
    }

    const Instance &instance_;
    std::size_t count_;
    const std::int32_t *run_of_;
    const Routes &old_ring_;
    std::vector<Pair> old_, new_;
    std::vector<char> rebuilt_;  // whether a node has its rebuilt links now
    std::vector<int> stamp_;
    int now_ = 0;
    std::vector<int> root_;    // union-find over differing links
    std::vector<int> beyond_;  // of each portal, for TSP
    std::vector<Component> components_;
    std::vector<std::int32_t> run_;  // of each component, in order
};

}  // namespace

Recombined recombine(const Instance &instance, const std::int32_t *run, const Routes &old,
                     const Routes &rebuilt) {
    return Recombination(instance, run, old, rebuilt).run();
}

}  // namespace sil
