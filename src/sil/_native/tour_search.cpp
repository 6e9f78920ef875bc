#include "tour_search.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <queue>

#include "kopt.h"
#include "neighbour_lists.h"

namespace sil {
namespace {

using Adjacency = std::vector<std::array<int, 2>>;  // the two nodes beside each node

// Before and behind each node of a tour, in this order.
void write_adjacency(const std::vector<int> &tour, Adjacency &beside) {
    const std::size_t size = tour.size();
    for (std::size_t i = 0; i < size; ++i)
        beside[tour[i]] = {tour[i > 0 ? i - 1 : size - 1], tour[i + 1 < size ? i + 1 : 0]};
}

void replace(std::array<int, 2> &pair, int old, int now) { pair[pair[0] == old ? 0 : 1] = now; }

// Improves what a region holds of the tour and writes the new edges into `beside`. `places` are
// those of its nodes in the tour, ascending; `number` is room for a number of each node.
void search_region(const Geometry &geometry, const std::vector<int> &tour,
                   const std::vector<int> &places, const std::int32_t *region,
                   const std::int32_t *neighbours, std::size_t width, const Effort &effort,
                   std::vector<int> &number, Adjacency &beside, const Interrupt &interrupt) {
    const int size = static_cast<int>(places.size());
    if (size < 8) return;
    std::vector<int> members(size);
    for (int i = 0; i < size; ++i) number[members[i] = tour[places[i]]] = i;
    const std::int32_t own = region[members[0]];
    std::vector<int> near = numbered_neighbours(members, neighbours, width, [&](int node) {
        return region[node] == own ? number[node] : -1;
    });
    const auto is_link = [&](int i) {  // between member i and the one after it
        const int step = i + 1 < size ? places[i + 1] - places[i]
                                      : places[0] + static_cast<int>(tour.size()) - places[i];
        return step != 1;
    };

    const Geometry local = geometry.subset(members);
    local.visit([&](auto distance) {
        KOpt<decltype(distance)> search(distance, size, std::move(near), static_cast<int>(width));
        for (int i = 0; i < size; ++i)
            if (is_link(i)) search.fix(i, i + 1 < size ? i + 1 : 0);
        if (effort.descend) search.descend(interrupt);
        std::mt19937_64 random(effort.seed);
        search.iterate(steps_for(effort.kicks, size), effort.temperature, random,
                       interrupt);

        // Slots that held edges inside the region are filled anew; the others lead outside.
        std::vector<std::array<int, 2>> inside(size, {-1, -1});
        for (int i = 0; i < size; ++i) {
            const int next = search.tour().next(i);
            if (search.is_fixed(i, next)) continue;
            inside[i][inside[i][0] >= 0] = members[next];
            inside[next][inside[next][0] >= 0] = members[i];
        }
        for (int i = 0; i < size; ++i) {
            auto &slots = beside[members[i]];
            const bool link_before = is_link(i > 0 ? i - 1 : size - 1), link_behind = is_link(i);
            int used = 0;
            if (!link_before) slots[0] = inside[i][used++];
            if (!link_behind) slots[1] = inside[i][used];
        }
    });
}

// The closed tours that the edges form, each as its nodes in turn.
std::vector<std::vector<int>> closed_tours(const Adjacency &beside) {
    std::vector<std::vector<int>> tours;
    std::vector<char> seen(beside.size(), false);
    for (std::size_t first = 0; first < beside.size(); ++first) {
        if (seen[first]) continue;
        tours.emplace_back();
        int before = -1, node = static_cast<int>(first);
        while (!seen[node]) {
            seen[node] = true;
            tours.back().push_back(node);
            const int next = beside[node][0] == before ? beside[node][1] : beside[node][0];
            before = node;
            node = next;
        }
    }
    return tours;
}

// Joins a closed tour with another by exchanging an edge of each, where that adds least; returns
// the two nodes that became neighbours.
std::pair<int, int> join(const Geometry &geometry, const std::vector<int> &tour,
                         const std::vector<int> &tour_of, const std::int32_t *neighbours,
                         std::size_t width, Adjacency &beside) {
    struct Exchange {
        double added = std::numeric_limits<double>::infinity();
        int a = -1, a_side = 0, b = -1, b_side = 0;
    } best;
    const int own = tour_of[tour[0]];
    geometry.visit([&](auto distance) {
        const auto consider = [&](int a, int b) {
            for (const int i : {0, 1})
                for (const int j : {0, 1}) {
                    const int c = beside[a][i], d = beside[b][j];
                    const double added =
                        distance(a, b) + distance(c, d) - distance(a, c) - distance(b, d);
                    if (added < best.added) best = {added, a, i, b, j};
                }
        };
        for (const int a : tour)
            for (std::size_t k = 0; k < width; ++k) {
                const int b = neighbours[a * width + k];
                if (tour_of[b] != own) consider(a, b);
            }
        // A cluster may know only itself.
        for (std::size_t b = 0; std::isinf(best.added); ++b)
            if (tour_of[b] != own) consider(tour[0], static_cast<int>(b));
    });
    const int a = best.a, b = best.b, c = beside[a][best.a_side], d = beside[b][best.b_side];
    beside[a][best.a_side] = b;
    beside[b][best.b_side] = a;
    replace(beside[c], a, d);
    replace(beside[d], b, c);
    return {a, b};
}

// Joins all closed tours into one and returns the nodes where that was done. It is always the
// smallest that is joined: so no node is counted to another tour too often.
std::vector<int> join_all(const Geometry &geometry, std::vector<std::vector<int>> &tours,
                          const std::int32_t *neighbours, std::size_t width, Adjacency &beside) {
    std::sort(tours.begin(), tours.end(),
              [](const auto &a, const auto &b) { return a.size() < b.size(); });
    std::vector<int> tour_of(beside.size()), seams;
    using Sized = std::pair<std::size_t, std::size_t>;  // a tour's size when it was put here, tour
    std::priority_queue<Sized, std::vector<Sized>, std::greater<>> waiting;
    for (std::size_t i = 0; i < tours.size(); ++i) {
        for (const int node : tours[i]) tour_of[node] = static_cast<int>(i);
        waiting.push({tours[i].size(), i});
    }
    for (std::size_t left = tours.size(); left > 1;) {
        const auto [size, i] = waiting.top();
        waiting.pop();
        if (size != tours[i].size()) continue;  // it is there again with its size of now
        const auto [node, other] = join(geometry, tours[i], tour_of, neighbours, width, beside);
        const int joined = tour_of[other];
        for (const int member : tours[i]) tour_of[member] = joined;
        tours[joined].insert(tours[joined].end(), tours[i].begin(), tours[i].end());
        waiting.push({tours[joined].size(), static_cast<std::size_t>(joined)});
        seams.insert(seams.end(), {node, other});
        --left;
    }
    return seams;
}

// Adds the ends of edges from region to region that are longer than those to any neighbour: no
// region can remove such an edge, and hardly ever does one hold both its ends.
void add_long_crossings(const Geometry &geometry, const std::vector<int> &tour,
                        const std::int32_t *region, const std::int32_t *neighbours,
                        std::size_t width, std::vector<int> &seams) {
    if (width == 0) return;
    geometry.visit([&](auto distance) {
        const auto reach = [&](int node) {
            return distance(node, neighbours[node * width + width - 1]);
        };
        int before = tour.back();
        for (const int node : tour) {
            if (region[node] != region[before] &&
                distance(before, node) > std::max(reach(before), reach(node)))
                seams.insert(seams.end(), {before, node});
            before = node;
        }
    });
}

// Searches once more around the seams, which one region holds, so that the tour stays one.
void mend(const Geometry &geometry, const std::vector<int> &tour, const std::vector<int> &seams,
          const std::int32_t *neighbours, std::size_t width, std::uint64_t seed,
          std::vector<int> &number, Adjacency &beside, const Interrupt &interrupt) {
    constexpr int reach = 3;                       // steps from neighbour to neighbour
    constexpr double kicks = 5, most_kicks = 2000;  // a node, and in all: only one thread does it
    std::vector<std::int32_t> around(tour.size(), 0);
    std::vector<int> members = seams;
    for (const int node : seams) around[node] = 1;
    std::size_t begin = 0;
    for (int step = 0; step < reach; ++step)
        for (const std::size_t end = members.size(); begin < end; ++begin)
            for (std::size_t k = 0; k < width; ++k) {
                const int other = neighbours[members[begin] * width + k];
                if (around[other]) continue;
                around[other] = 1;
                members.push_back(other);
            }
    std::vector<int> places;
    for (std::size_t i = 0; i < tour.size(); ++i)
        if (around[tour[i]]) places.push_back(static_cast<int>(i));
    write_adjacency(tour, beside);
    const double affordable = most_kicks / static_cast<double>(places.size());
    const Effort effort{true, std::min(kicks, affordable), 0, seed};
    search_region(geometry, tour, places, around.data(), neighbours, width, effort, number, beside,
                  interrupt);
}

}  // namespace

void search_tour(const Geometry &geometry, std::vector<int> &tour, const std::int32_t *region,
                 std::size_t regions, const std::int32_t *neighbours, std::size_t width,
                 const Effort &effort, int threads, Interrupt &interrupt) {
    const std::size_t size = tour.size();
    if (size < 8) return;
    std::vector<std::vector<int>> places(regions);
    for (std::size_t i = 0; i < size; ++i) places[region[tour[i]]].push_back(static_cast<int>(i));
    Adjacency beside(size);
    write_adjacency(tour, beside);
    std::vector<int> number(size);
    parallel_for(regions, threads, interrupt, [&](std::size_t r) {
        Effort own = effort;
        own.seed += r;
        search_region(geometry, tour, places[r], region, neighbours, width, own, number, beside,
                      interrupt);
    });

    auto tours = closed_tours(beside);
    std::vector<int> seams;
    if (tours.size() > 1) {
        seams = join_all(geometry, tours, neighbours, width, beside);
        tours = closed_tours(beside);
    }
    tour = std::move(tours[0]);
    add_long_crossings(geometry, tour, region, neighbours, width, seams);
    if (seams.empty() || interrupt.is_set()) return;
    mend(geometry, tour, seams, neighbours, width, effort.seed, number, beside, interrupt);
    tour = closed_tours(beside)[0];
}

}  // namespace sil
