#include "route_order.h"

#include "kopt.h"
#include "neighbour_lists.h"

namespace sil {

void improve_order(const Geometry &geometry, std::vector<int> &nodes,
                   const std::vector<int> &starts, Ends ends, const std::int32_t *neighbours,
                   std::size_t width, double kicks, std::uint64_t seed, int threads,
                   Interrupt &interrupt) {
    const std::size_t count = starts.size();
    const auto end_of = [&](std::size_t route) {
        return route + 1 < count ? static_cast<std::size_t>(starts[route + 1]) : nodes.size();
    };
    // In its route's tour the depot, if there is one, is number 0 and the customers follow.
    const bool through_depot = ends == Ends::Depot;
    std::vector<int> route_of(geometry.size(), -1), number(geometry.size());
    for (std::size_t route = 0; route < count; ++route)
        for (std::size_t i = starts[route]; i < end_of(route); ++i) {
            route_of[nodes[i]] = static_cast<int>(route);
            number[nodes[i]] = static_cast<int>(i - starts[route]) + through_depot;
        }
    parallel_for(count, threads, interrupt, [&](std::size_t route) {
        std::vector<int> members(through_depot, 0);
        members.insert(members.end(), nodes.begin() + starts[route], nodes.begin() + end_of(route));
        const std::size_t size = members.size();
        if (size < 5) return;
        std::vector<int> near = numbered_neighbours(members, neighbours, width, [&](int node) {
            const bool shared = through_depot && node == 0;
            return shared || route_of[node] == static_cast<int>(route) ? number[node] : -1;
        });
        const Geometry local = geometry.subset(members);
        local.visit([&](auto distance) {
            KOpt<decltype(distance)> search(distance, static_cast<int>(size), std::move(near),
                                            static_cast<int>(width));
            const int last = static_cast<int>(size) - 1;
            if (!through_depot) search.fix(last, 0);
            search.descend(interrupt);
            std::mt19937_64 random(seed + route);
            search.iterate(steps_for(kicks, size), 0.0, random, interrupt);
            // A run begins at its first node, and goes where its last node is not.
            const auto &tour = search.tour();
            const bool back = !through_depot && tour.next(0) == last;
            int node = through_depot ? tour.next(0) : 0;
            for (std::size_t i = starts[route]; i < end_of(route); ++i) {
                nodes[i] = members[node];
                node = back ? tour.previous(node) : tour.next(node);
            }
        });
    });
}

}  // namespace sil
