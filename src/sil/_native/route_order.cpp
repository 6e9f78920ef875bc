#include "route_order.h"

#include "kopt.h"
#include "neighbour_lists.h"

namespace sil {

void improve_order(const Geometry &geometry, std::vector<int> &nodes,
                   const std::vector<int> &starts, const std::int32_t *neighbours,
                   std::size_t width, double kicks, std::uint64_t seed, int threads,
                   Interrupt &interrupt) {
    const std::size_t count = starts.size();
    const auto end_of = [&](std::size_t route) {
        return route + 1 < count ? static_cast<std::size_t>(starts[route + 1]) : nodes.size();
    };
    // In its route's tour the depot is number 0 and the customers follow.
    std::vector<int> route_of(geometry.size()), number(geometry.size());
    for (std::size_t route = 0; route < count; ++route)
        for (std::size_t i = starts[route]; i < end_of(route); ++i) {
            route_of[nodes[i]] = static_cast<int>(route);
            number[nodes[i]] = static_cast<int>(i - starts[route]) + 1;
        }
    parallel_for(count, threads, interrupt, [&](std::size_t route) {
        std::vector<int> members{0};
        members.insert(members.end(), nodes.begin() + starts[route], nodes.begin() + end_of(route));
        const std::size_t size = members.size();
        if (size < 5) return;
        std::vector<int> near = numbered_neighbours(members, neighbours, width, [&](int node) {
            return node == 0 || route_of[node] == static_cast<int>(route) ? number[node] : -1;
        });
        const Geometry local = geometry.subset(members);
        local.visit([&](auto distance) {
            KOpt<decltype(distance)> search(distance, static_cast<int>(size), std::move(near),
                                            static_cast<int>(width));
            search.descend(interrupt);
            std::mt19937_64 random(seed + route);
            search.iterate(static_cast<std::size_t>(kicks * size), 0.0, random, interrupt);
            int node = 0;
            for (std::size_t i = starts[route]; i < end_of(route); ++i) {
                node = search.tour().next(node);
                nodes[i] = members[node];
            }
        });
    });
}

}  // namespace sil
