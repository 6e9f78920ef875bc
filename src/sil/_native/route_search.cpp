#include "route_search.h"

#include "neighbour_lists.h"
#include "ruin.h"

namespace sil {

void search_routes(const Geometry &geometry, std::vector<int> &nodes, std::vector<char> &first,
                   const std::vector<int> &starts, const std::int32_t *group, std::size_t groups,
                   const std::int64_t *demand, std::int64_t capacity,
                   const std::int32_t *neighbours, std::size_t width, const bool *held,
                   double iterations, double temperature, std::uint64_t seed, int threads, Interrupt &interrupt) {
    struct Span {
        std::size_t begin, end;
    };
    std::vector<std::vector<Span>> routes(groups);
    std::vector<int> group_of(geometry.size(), -1), number(geometry.size());
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const std::size_t begin = starts[i], end = i + 1 < starts.size() ? starts[i + 1] : nodes.size();
        routes[group[i]].push_back({begin, end});
        for (std::size_t k = begin; k < end; ++k) group_of[nodes[k]] = group[i];
    }
    // Groups keep their nodes: the first group's come first.
    std::vector<std::size_t> offset(groups + 1, 0);
    for (std::size_t g = 0; g < groups; ++g) {
        offset[g + 1] = offset[g];
        for (const Span &route : routes[g]) offset[g + 1] += route.end - route.begin;
    }
    std::vector<int> found(nodes.size());
    std::vector<char> begins(nodes.size());
    std::vector<char> done(groups, false);

    parallel_for(groups, threads, interrupt, [&](std::size_t g) {
        std::vector<int> members;
        for (const Span &route : routes[g])
            members.insert(members.end(), nodes.begin() + route.begin, nodes.begin() + route.end);
        const std::size_t size = members.size();
        if (size == 0) return;
        std::vector<std::int64_t> needs(size);
        std::vector<char> stays(size, false);
        for (std::size_t i = 0; i < size; ++i) {
            number[members[i]] = static_cast<int>(i);
            needs[i] = demand[members[i]];
            if (held) stays[i] = held[members[i]];
        }
        std::vector<int> near = numbered_neighbours(members, neighbours, width, [&](int node) {
            return group_of[node] == static_cast<int>(g) ? number[node] : -1;
        });
        std::vector<int> with_depots = members;
        with_depots.resize(size + most_routes(static_cast<int>(size)), 0);
        const Geometry local = geometry.subset(with_depots);
        local.visit([&](auto distance) {
            Ruin<decltype(distance)> search(distance, std::move(needs), capacity, std::move(near),
                                            static_cast<int>(width), std::move(stays));
            std::vector<int> numbers(size);
            for (std::size_t i = 0; i < size; ++i) numbers[i] = static_cast<int>(i);
            std::size_t begin = 0;
            for (const Span &route : routes[g]) {
                search.add_route(&numbers[begin], static_cast<int>(route.end - route.begin));
                begin += route.end - route.begin;
            }
            std::mt19937_64 random(seed + g);
            search.iterate(steps_for(iterations, size), temperature, random,
                           interrupt);
            std::size_t place = offset[g];
            search.visit([&](int customer, bool begins_route) {
                found[place] = members[customer];
                begins[place++] = begins_route;
            });
        });
        done[g] = true;
    });

    for (std::size_t g = 0; g < groups; ++g) {
        if (done[g]) continue;
        std::size_t place = offset[g];
        for (const Span &route : routes[g])
            for (std::size_t k = route.begin; k < route.end; ++k) {
                found[place] = nodes[k];
                begins[place++] = k == route.begin;
            }
    }
    nodes = std::move(found);
    first = std::move(begins);
}

}  // namespace sil
