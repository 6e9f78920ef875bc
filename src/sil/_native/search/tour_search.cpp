#include "search/tour_search.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <queue>

#include "search/kopt.h"
#include "search/neighbour_lists.h"

namespace sil {
namespace {

using Adjacency = std::vector<std::array<int, 2>>;  // the two neighbours of each node in the tour

// Writes the nodes before and after each node of a tour, in this order.
void write_adjacency(const std::vector<std::int32_t> &tour, Adjacency &beside) {
    const std::size_t size = tour.size();
    for (std::size_t i = 0; i < size; ++i)
        beside[tour[i]] = {tour[i > 0 ? i - 1 : size - 1], tour[i + 1 < size ? i + 1 : 0]};
}

void replace(std::array<int, 2> &pair, int old, int now) { pair[pair[0] == old ? 0 : 1] = now; }

// A tour during the search, with its edges, and scratch space for a number of each node.
struct Search {
    const Geometry &geometry;
    const Neighbours &neighbours;
    const std::vector<std::int32_t> &tour;
    Adjacency beside;
    std::vector<int> number;
    const Interrupt &interrupt;
};

// Improves the tour within a region and writes the new edges. `places` are the places of its nodes
// in the tour, ascending; `region` is the region of each node.
void search_region(Search &search, const std::vector<int> &places, const std::int32_t *region,
                   bool descend, const Effort &effort) {
    const std::vector<std::int32_t> &tour = search.tour;
    std::vector<int> &number = search.number;
    const int size = static_cast<int>(places.size());
    if (size < 8) return;
    std::vector<std::int32_t> members(size);
    for (int i = 0; i < size; ++i) number[members[i] = tour[places[i]]] = i;
    const std::int32_t own = region[members[0]];
    std::vector<int> near = numbered_neighbours(members, search.neighbours, [&](int node) {
        return region[node] == own ? number[node] : -1;
    });
    const auto is_link = [&](int i) {  // leads from member i to the next, outside the region
        const int step = i + 1 < size ? places[i + 1] - places[i]
                                      : places[0] + static_cast<int>(tour.size()) - places[i];
        return step != 1;
    };

    const Geometry local = search.geometry.subset(members);
    local.visit([&](auto distance) {
        KOpt<decltype(distance)> kopt(distance, size, std::move(near),
                                      static_cast<int>(search.neighbours.width()));
        for (int i = 0; i < size; ++i)
            if (is_link(i)) kopt.fix(i, i + 1 < size ? i + 1 : 0);
        if (descend) kopt.descend(search.interrupt);
        std::mt19937_64 random(effort.seed);
        kopt.iterate(effort.steps_for(size), effort.temperature, random, search.interrupt);

        // Rewrite only the slots of edges inside the region; the others lead outside.
        std::vector<std::array<int, 2>> inside(size, {-1, -1});
        for (int i = 0; i < size; ++i) {
            const int next = kopt.tour().next(i);
            if (kopt.is_fixed(i, next)) continue;
            inside[i][inside[i][0] >= 0] = members[next];
            inside[next][inside[next][0] >= 0] = members[i];
        }
        for (int i = 0; i < size; ++i) {
            auto &slots = search.beside[members[i]];
            const bool link_before = is_link(i > 0 ? i - 1 : size - 1), link_behind = is_link(i);
            int used = 0;
            if (!link_before) slots[0] = inside[i][used++];
            if (!link_behind) slots[1] = inside[i][used];
        }
    });
}

// The closed tours that the edges form, each as its nodes in order.
std::vector<std::vector<std::int32_t>> closed_tours(const Adjacency &beside) {
    std::vector<std::vector<std::int32_t>> tours;
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

// Joins a closed tour with another by exchanging an edge of each, where that adds least length.
// Returns two of the nodes that became neighbours.
std::pair<int, int> join(Search &search, const std::vector<std::int32_t> &tour,
                         const std::vector<int> &tour_of) {
    Adjacency &beside = search.beside;
    struct Exchange {
        double added = std::numeric_limits<double>::infinity();
        int a = -1, a_side = 0, b = -1, b_side = 0;
    } best;
    const int own = tour_of[tour[0]];
    search.geometry.visit([&](auto distance) {
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
            for (std::size_t k = 0; k < search.neighbours.width(); ++k) {
                const int b = search.neighbours.of(a)[k];
                if (tour_of[b] != own) consider(a, b);
            }
        // All neighbours may be in the same tour, as in a cluster.
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

// Joins all closed tours into one and returns the nodes where they were joined. Always joins the
// smallest one, so that no node changes its tour often.
std::vector<int> join_all(Search &search, std::vector<std::vector<std::int32_t>> &tours) {
    std::sort(tours.begin(), tours.end(),
              [](const auto &a, const auto &b) { return a.size() < b.size(); });
    std::vector<int> tour_of(search.beside.size()), seams;
    using Sized = std::pair<std::size_t, std::size_t>;  // size of a tour when it was added, tour
    std::priority_queue<Sized, std::vector<Sized>, std::greater<>> waiting;
    for (std::size_t i = 0; i < tours.size(); ++i) {
        for (const int node : tours[i]) tour_of[node] = static_cast<int>(i);
        waiting.push({tours[i].size(), i});
    }
    for (std::size_t left = tours.size(); left > 1;) {
        const auto [size, i] = waiting.top();
        waiting.pop();
        if (size != tours[i].size()) continue;  // outdated: it was added again with its new size
        const auto [node, other] = join(search, tours[i], tour_of);
        const int joined = tour_of[other];
        for (const int member : tours[i]) tour_of[member] = joined;
        tours[joined].insert(tours[joined].end(), tours[i].begin(), tours[i].end());
        waiting.push({tours[joined].size(), static_cast<std::size_t>(joined)});
        seams.insert(seams.end(), {node, other});
        --left;
    }
    return seams;
}

// Adds the ends of edges between regions that are longer than the edges to all neighbours. No
// region can remove such an edge, and hardly ever does a region have both of its ends.
void add_long_crossings(const Search &search, const std::int32_t *region, std::vector<int> &seams) {
    const std::size_t width = search.neighbours.width();
    if (width == 0) return;
    search.geometry.visit([&](auto distance) {
        const auto reach = [&](int node) {
            double farthest = 0;  // the last of a shorter list is the node itself
            for (std::size_t k = 0; k < width; ++k)
                farthest = std::max(farthest, distance(node, search.neighbours.of(node)[k]));
            return farthest;
        };
        int before = search.tour.back();
        for (const int node : search.tour) {
            if (region[node] != region[before] &&
                distance(before, node) > std::max(reach(before), reach(node)))
                seams.insert(seams.end(), {before, node});
            before = node;
        }
    });
}

// Searches once more around the seams, in a single region, so that the tour stays in one piece.
void mend(Search &search, const std::vector<int> &seams, std::uint64_t seed) {
    const std::vector<std::int32_t> &tour = search.tour;
    constexpr int reach = 3;                        // steps from neighbour to neighbour
    constexpr double kicks = 5, most_kicks = 2000;  // per node, and in total for the one thread
    std::vector<std::int32_t> around(tour.size(), 0);
    std::vector<int> members = seams;
    for (const int node : seams) around[node] = 1;
    std::size_t begin = 0;
    for (int step = 0; step < reach; ++step)
        for (const std::size_t end = members.size(); begin < end; ++begin)
            for (std::size_t k = 0; k < search.neighbours.width(); ++k) {
                const int other = search.neighbours.of(members[begin])[k];
                if (around[other]) continue;
                around[other] = 1;
                members.push_back(other);
            }
    std::vector<int> places;
    for (std::size_t i = 0; i < tour.size(); ++i)
        if (around[tour[i]]) places.push_back(static_cast<int>(i));
    write_adjacency(tour, search.beside);
    const double affordable = most_kicks / static_cast<double>(places.size());
    search_region(search, places, around.data(), true, {std::min(kicks, affordable), 0, seed});
}

}  // namespace

void search_tour(const Instance &instance, const Neighbours &neighbours, Routes &routes,
                 const Division &regions, bool descend, const Effort &effort, int threads,
                 Interrupt &interrupt) {
    std::vector<std::int32_t> &tour = routes.nodes;
    const std::size_t size = tour.size();
    if (size < 8) return;
    Search search{instance.geometry(),    neighbours, tour, Adjacency(size),
                  std::vector<int>(size), interrupt};
    std::vector<std::vector<int>> places(regions.count);
    for (std::size_t i = 0; i < size; ++i)
        places[regions.part_of[tour[i]]].push_back(static_cast<int>(i));
    write_adjacency(tour, search.beside);
    parallel_for(regions.count, threads, interrupt, [&](std::size_t r) {
        Effort own = effort;
        own.seed += r;
        search_region(search, places[r], regions.part_of, descend, own);
    });

    auto tours = closed_tours(search.beside);
    std::vector<int> seams;
    if (tours.size() > 1) {
        seams = join_all(search, tours);
        tours = closed_tours(search.beside);
    }
    tour = std::move(tours[0]);
    add_long_crossings(search, regions.part_of, seams);
    if (seams.empty() || interrupt.is_set()) return;
    mend(search, seams, effort.seed);
    tour = closed_tours(search.beside)[0];
}

}  // namespace sil
