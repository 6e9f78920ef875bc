#include "search/route_search.h"

#include <algorithm>
#include <numeric>

#include "search/edge_exchange.h"
#include "search/route_removal.h"
#include "search/ruin_recreate.h"

namespace sil {
namespace {

constexpr int exchanges = 10;  // proposed after each ruin

// The moves on routes, proposed in turn. First removes `removals` routes; calls keep() after each.
// Returns whether all customers have a route at the end.
template <class Distance, class Keep>
bool search_group(RouteState<Distance> &state, int removals, const Effort &effort,
                  const Interrupt &interrupt, const Keep &keep) {
    std::mt19937_64 random(effort.seed);
    RuinRecreate<Distance> ruin(state, random);
    EdgeExchange<Distance> exchange(state, random);
    std::size_t left = effort.steps_for(state.size());
    if (removals > 0) {
        RouteRemoval<Distance> removal(state, ruin, random);
        for (; removals > 0 && removal.may_succeed(); --removals) {
            if (!removal.remove_one(left, effort.temperature, interrupt)) return false;
            keep();
        }
    }
    for (; left > 0 && !interrupt.is_set(); --left) {
        ruin.propose(effort.temperature);
        for (int i = 0; i < exchanges; ++i) exchange.propose(effort.temperature);
    }
    return true;
}

// Appends route `index` of `from`.
void append(Routes &to, const Routes &from, std::size_t index) {
    to.open();
    to.nodes.insert(to.nodes.end(), from.nodes.begin() + from.begin(index),
                    from.nodes.begin() + from.end(index));
}

}  // namespace

void search_routes(const Instance &instance, const Neighbours &neighbours, Routes &routes,
                   const Division &groups, const bool *held, int removals, const Effort &effort,
                   int threads, Interrupt &interrupt) {
    // If interrupted, groups that have not been searched stay as they were.
    std::vector<Routes> found(groups.count);
    std::vector<int> group_of(instance.size(), -1), number(instance.size());
    for (std::size_t i = 0; i < routes.count(); ++i) {
        append(found[groups.part_of[i]], routes, i);
        for (std::size_t k = routes.begin(i); k < routes.end(i); ++k)
            group_of[routes.nodes[k]] = groups.part_of[i];
    }

    // The groups share the routes that may still be opened.
    const std::size_t most = instance.limits().vehicles;
    const std::size_t spare = most - std::min(most, routes.count());
    const auto spare_routes = [&](std::size_t group) {
        return static_cast<int>(
            std::min(spare / groups.count + (group < spare % groups.count), instance.size()));
    };

    parallel_for(groups.count, threads, interrupt, [&](std::size_t g) {
        const std::vector<std::int32_t> members = found[g].nodes;
        const int size = static_cast<int>(members.size());
        if (size == 0) return;
        Customers customers;
        customers.width = static_cast<int>(neighbours.width());
        for (int i = 0; i < size; ++i) {
            number[members[i]] = i;
            const Usage usage = instance.usage(members[i]);
            customers.load.push_back(usage.load);
            if (instance.limits().bounded()) customers.service.push_back(usage.service);
            customers.held.push_back(held && held[members[i]]);
        }
        customers.neighbours = numbered_neighbours(members, neighbours, [&](int node) {
            return group_of[node] == static_cast<int>(g) ? number[node] : -1;
        });
        std::vector<std::int32_t> with_depots = members;
        with_depots.resize(size + most_routes(size), 0);
        const Geometry local = instance.geometry().subset(with_depots);
        local.visit([&](auto distance) {
            const int before = static_cast<int>(found[g].count());
            RouteState<decltype(distance)> state(distance, std::move(customers), instance.limits(),
                                                 before + spare_routes(g));
            std::vector<int> numbers(size);
            std::iota(numbers.begin(), numbers.end(), 0);
            for (std::size_t i = 0; i < found[g].count(); ++i)
                state.add_route(&numbers[found[g].begin(i)],
                                static_cast<int>(found[g].end(i) - found[g].begin(i)));
            Effort own = effort;
            own.seed += g;
            const auto keep = [&] {
                found[g] = {};
                state.visit([&] { found[g].open(); },
                            [&](int customer) { found[g].nodes.push_back(members[customer]); });
            };
            if (search_group(state, removals, own, interrupt, keep)) keep();
        });
    });

    routes = {};
    for (const Routes &group : found)
        for (std::size_t i = 0; i < group.count(); ++i) append(routes, group, i);
}

}  // namespace sil
