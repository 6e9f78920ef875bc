#include "search/route_order.h"

#include <algorithm>

#include "search/kopt.h"
#include "search/neighbour_lists.h"

namespace sil {

void improve_order(const Instance &instance, const Neighbours &neighbours, Routes &routes,
                   Ends ends, const Effort &effort, int threads, Interrupt &interrupt) {
    // The depot, if there is one, is number 0 in the tour of each route; the customers follow.
    const bool through_depot = ends == Ends::Depot;
    std::vector<int> route_of(instance.size(), -1), number(instance.size());
    for (std::size_t route = 0; route < routes.count(); ++route)
        for (std::size_t i = routes.begin(route); i < routes.end(route); ++i) {
            route_of[routes.nodes[i]] = static_cast<int>(route);
            number[routes.nodes[i]] = static_cast<int>(i - routes.begin(route)) + through_depot;
        }
    parallel_for(routes.count(), threads, interrupt, [&](std::size_t route) {
        const auto first = routes.nodes.begin() + routes.begin(route);
        const auto end = routes.nodes.begin() + routes.end(route);
        std::vector<std::int32_t> members((end - first) + through_depot, 0);
        std::copy(first, end, members.begin() + through_depot);
        const int size = static_cast<int>(members.size());
        if (size < 5) return;
        std::vector<int> near = numbered_neighbours(members, neighbours, [&](int node) {
            const bool shared = through_depot && node == 0;
            return shared || route_of[node] == static_cast<int>(route) ? number[node] : -1;
        });
        const Geometry local = instance.geometry().subset(members);
        local.visit([&](auto distance) {
            KOpt<decltype(distance)> search(distance, size, std::move(near),
                                            static_cast<int>(neighbours.width()));
            const int last = size - 1;
            if (!through_depot) search.fix(last, 0);
            search.descend(interrupt);
            std::mt19937_64 random(effort.seed + route);
            search.iterate(effort.steps_for(size), effort.temperature, random, interrupt);
            // A run begins at its first node and goes away from its last.
            const auto &tour = search.tour();
            const bool back = !through_depot && tour.next(0) == last;
            int node = through_depot ? tour.next(0) : 0;
            for (auto place = first; place != end; ++place) {
                *place = members[node];
                node = back ? tour.previous(node) : tour.next(node);
            }
        });
    });
}

}  // namespace sil
