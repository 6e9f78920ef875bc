// What Python sees of the native core, as the module sil._native.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "bindings_policy.h"
#include "checks.h"
#include "curve.h"
#include "exact.h"
#include "fragments.h"
#include "geometry.h"
#include "insertion.h"
#include "interrupt.h"
#include "nearest.h"
#include "recombine.h"
#include "route_order.h"
#include "route_search.h"
#include "tour_search.h"

using namespace nb::literals;

namespace {

// A matrix of distances can be walked both ways. Block by block, to stay in the cache.
void require_symmetric(const In<double, 2> &matrix) {
    constexpr std::size_t block = 64;
    const std::size_t size = matrix.shape(0);
    const double *at = matrix.data();
    bool fine = true;
    for (std::size_t rows = 0; rows < size; rows += block)
        for (std::size_t columns = 0; columns <= rows; columns += block)
            for (std::size_t i = rows; i < std::min(rows + block, size); ++i)
                for (std::size_t j = columns; j < std::min(columns + block, size); ++j)
                    fine &= at[i * size + j] == at[j * size + i] && at[i * size + j] >= 0;
    require(fine, "distances must not be negative, and the same there and back");
}

sil::Geometry make_geometry(sil::Metric metric, const std::optional<In<double, 2>> &coords,
                            const std::optional<In<double, 2>> &matrix) {
    if (metric == sil::Metric::Explicit) {
        require(matrix && matrix->shape(0) == matrix->shape(1),
                "an explicit metric needs a square matrix");
        require(matrix->shape(0) > 0 && matrix->shape(0) <= most_nodes, "1 to 2**30 nodes are needed");
        require_aligned(*matrix);
        require_finite(*matrix, "distances");
        require_symmetric(*matrix);
        sil::Geometry geometry(nullptr, matrix->data(), matrix->shape(0), metric);
        geometry.keep(std::make_shared<In<double, 2>>(*matrix));
        return geometry;
    }
    require(coords.has_value(), "this metric needs coordinates");
    as_points(*coords);
    require_aligned(*coords);
    require(coords->shape(0) > 0 && coords->shape(0) <= most_nodes, "1 to 2**30 nodes are needed");
    require_finite(*coords, "coordinates");
    return {coords->data(), nullptr, coords->shape(0), metric};
}

std::optional<Out<std::int32_t, 2>> nearest(const In<double, 2> &points, std::size_t count,
                                            int threads, sil::Interrupt &interrupt) {
    const std::size_t size = points.shape(0), dimensions = points.shape(1);
    require(dimensions == 2 || dimensions == 3, "points must have two or three coordinates");
    require(size <= most_nodes && count < std::max<std::size_t>(size, 1),
            "a point has fewer others than that");
    require_aligned(points);
    require_finite(points, "coordinates");
    require_threads(threads);
    auto found = sil::nearest(points.data(), size, static_cast<int>(dimensions), count, threads,
                              interrupt);
    if (interrupt.is_set()) return std::nullopt;
    return to_numpy<std::int32_t, 2>(std::move(found), {size, count});
}

std::optional<Out<std::int32_t, 2>> spread(const In<double, 2> &points,
                                           const In<std::int32_t, 2> &near, std::size_t count,
                                           int threads, sil::Interrupt &interrupt) {
    const std::size_t size = points.shape(0), width = near.shape(1);
    const sil::Point *at = as_points(points);
    require_aligned(points);
    require_neighbours(near, size);
    require(count <= width, "there are fewer neighbours than that");
    require_threads(threads);
    auto chosen = sil::spread(at, size, near.data(), width, count, threads, interrupt);
    if (interrupt.is_set()) return std::nullopt;
    return to_numpy<std::int32_t, 2>(std::move(chosen), {size, count});
}

std::optional<std::pair<Out<int, 1>, Out<std::uint8_t, 1>>>
insertion(const sil::Geometry &geometry, const In<std::int32_t, 1> &order,
          const std::optional<In<std::int64_t, 1>> &demand, std::int64_t capacity,
          std::size_t num_seeds, sil::Interrupt &interrupt) {
    require_aligned(order);
    require_distinct(order, demand.has_value(), geometry.size());
    if (demand) require_demands(*demand, geometry.size());
    require_capacity(capacity);
    const auto nodes = to_vector(order);
    const auto needs = demand ? to_vector(*demand) : std::vector<std::int64_t>{};
    sil::Routes routes;
    sil::run_workers(1, interrupt, [&](int) {
        routes = sil::insertion(geometry, nodes, needs, capacity, num_seeds, interrupt);
    });
    if (!routes.complete) return std::nullopt;
    std::vector<std::uint8_t> first(routes.first.begin(), routes.first.end());
    return std::pair(to_numpy(std::move(routes.nodes)), to_numpy(std::move(first)));
}

Out<int, 1> search_tour(const sil::Geometry &geometry, const In<std::int32_t, 1> &tour,
                        const In<std::int32_t, 1> &region, std::size_t regions,
                        const In<std::int32_t, 2> &neighbours, bool descend, double kicks,
                        double temperature, std::uint64_t seed, int threads,
                        sil::Interrupt &interrupt) {
    require(tour.size() == geometry.size() && region.size() == geometry.size(),
            "a tour and its regions must be those of all nodes");
    require_aligned(tour, region);
    require_distinct(tour, 0, geometry.size());
    require(regions <= geometry.size(), "there are more regions than nodes");
    require_range(region, 0, regions, "regions");
    require_neighbours(neighbours, geometry.size());
    require_effort(kicks, temperature);
    require_threads(threads);
    auto improved = to_vector(tour);
    sil::search_tour(geometry, improved, region.data(), regions, neighbours.data(),
                     neighbours.shape(1), {descend, kicks, temperature, seed}, threads, interrupt);
    return to_numpy(std::move(improved));
}

std::pair<Out<int, 1>, Out<char, 1>>
search_routes(const sil::Geometry &geometry, const In<std::int32_t, 1> &nodes,
              const In<std::int32_t, 1> &starts, const In<std::int32_t, 1> &group,
              std::size_t groups, const In<std::int64_t, 1> &demand, std::int64_t capacity,
              const In<std::int32_t, 2> &neighbours,
              const std::optional<In<bool, 1>> &held, double iterations, double temperature,
              std::uint64_t seed, int threads, sil::Interrupt &interrupt) {
    require_aligned(nodes, starts, group);
    require_distinct(nodes, 1, geometry.size());
    require_starts(starts, nodes.size());
    require(group.size() == starts.size(), "every route needs a group");
    require(groups <= geometry.size(), "there are more groups than nodes");
    require_range(group, 0, groups, "groups");
    require_demands(demand, geometry.size());
    require_capacity(capacity);
    require_neighbours(neighbours, geometry.size());
    require(!held || held->size() == geometry.size(), "held must be a flag for each node");
    require_effort(iterations, temperature);
    require_threads(threads);
    auto improved = to_vector(nodes);
    std::vector<char> first;
    sil::search_routes(geometry, improved, first, to_vector(starts), group.data(), groups,
                       demand.data(), capacity, neighbours.data(), neighbours.shape(1),
                       held ? held->data() : nullptr, iterations, temperature, seed, threads,
                       interrupt);
    return {to_numpy(std::move(improved)), to_numpy(std::move(first))};
}

Out<int, 1> improve_order(const sil::Geometry &geometry, const In<std::int32_t, 1> &nodes,
                          const In<std::int32_t, 1> &starts, bool fixed_ends,
                          const In<std::int32_t, 2> &neighbours, double kicks, std::uint64_t seed,
                          int threads, sil::Interrupt &interrupt) {
    require_aligned(nodes, starts);
    require_distinct(nodes, fixed_ends ? 0 : 1, geometry.size());
    require_starts(starts, nodes.size());
    require_neighbours(neighbours, geometry.size());
    require_effort(kicks, 0);
    require_threads(threads);
    auto order = to_vector(nodes);
    sil::improve_order(geometry, order, to_vector(starts),
                       fixed_ends ? sil::Ends::Fixed : sil::Ends::Depot, neighbours.data(),
                       neighbours.shape(1), kicks, seed, threads, interrupt);
    return to_numpy(std::move(order));
}

void join(sil::Fragments &fragments, const sil::Geometry &geometry,
          const In<std::int32_t, 1> &nodes, const In<std::int32_t, 1> &at,
          const In<std::int32_t, 2> &neighbours, std::optional<int> depot,
          sil::Interrupt &interrupt) {
    const std::size_t width = neighbours.shape(1);
    require_aligned(nodes, at);
    require(nodes.size() == fragments.size(), "nodes must be those of the fragments");
    require_range(nodes, 0, geometry.size(), "nodes");
    require_range(at, 0, fragments.size(), "ends");
    require_neighbours(neighbours, at.size());
    require(!depot || (*depot >= 0 && *depot < static_cast<int>(geometry.size())),
            "the depot must be a node");
    sil::run_workers(1, interrupt, [&](int) {
        fragments.join(geometry,
                       {nodes.data(), at.data(), at.shape(0), neighbours.data(), width, depot},
                       interrupt);
    });
}

Out<int, 2> ends(const sil::Fragments &fragments) {
    const auto pairs = fragments.ends();
    std::vector<int> flat;
    flat.reserve(2 * pairs.size());
    for (const auto &[a, b] : pairs) flat.insert(flat.end(), {a, b});
    return to_numpy<int, 2>(std::move(flat), {pairs.size(), 2});
}

std::pair<Out<int, 1>, Out<int, 1>> paths(const sil::Fragments &fragments) {
    auto [nodes, starts] = fragments.paths();
    return {to_numpy(std::move(nodes)), to_numpy(std::move(starts))};
}

Out<std::uint64_t, 1> hilbert_keys(const In<double, 2> &coords) {
    const sil::Point *points = as_points(coords);
    require_aligned(coords);
    require_finite(coords, "coordinates");
    return to_numpy(sil::hilbert_keys(points, coords.shape(0)));
}

void reconstruct_exactly(const sil::Geometry &geometry, const Into<std::int32_t, 2> &nodes,
                         const std::optional<Into<bool, 2>> &via_depot,
                         const std::optional<In<std::int64_t, 1>> &load_before,
                         const std::optional<In<std::int64_t, 1>> &load_after,
                         const std::optional<In<std::int64_t, 1>> &demand, std::int64_t capacity,
                         int threads, sil::Interrupt &interrupt) {
    const Runs runs{nodes, via_depot, load_before, load_after, demand, capacity};
    runs.require_valid(geometry.size());
    require(nodes.shape(1) <= sil::max_exact_length,
            "these partial solutions are too long for an exhaustive search");
    require_threads(threads);
    const int length = static_cast<int>(nodes.shape(1));
    sil::parallel_for(nodes.shape(0), threads, interrupt, [&](std::size_t i) {
        sil::Loads loads;
        if (demand)
            loads = {demand->data(), capacity, load_before->data()[i], load_after->data()[i]};
        sil::reconstruct_exactly(geometry, loads, length, nodes.data() + i * length,
                                 demand ? via_depot->data() + i * length : nullptr);
    });
}

std::tuple<Out<std::int32_t, 1>, Out<char, 1>, double>
recombine(const sil::Geometry &geometry, const In<std::int32_t, 1> &run, const In<std::int32_t, 1> &nodes,
          const std::optional<In<bool, 1>> &via_depot, const In<std::int32_t, 1> &rebuilt_nodes,
          const std::optional<In<bool, 1>> &rebuilt_via_depot,
          const std::optional<In<std::int64_t, 1>> &demand, std::int64_t capacity) {
    const std::size_t count = nodes.size();
    require(count > 0 && run.size() == count && rebuilt_nodes.size() == count,
            "the two rings must be of the same nodes");
    require_aligned(run, nodes, rebuilt_nodes);
    const std::size_t first = demand.has_value();  // the depot is in no ring
    require_distinct(nodes, first, geometry.size());
    require_distinct(rebuilt_nodes, first, geometry.size());
    std::vector<bool> in_ring(geometry.size());
    for (std::size_t i = 0; i < count; ++i) in_ring[nodes.data()[i]] = true;
    for (std::size_t i = 0; i < count; ++i)
        require(in_ring[rebuilt_nodes.data()[i]], "the two rings must be of the same nodes");
    if (demand) {
        require(via_depot && rebuilt_via_depot && via_depot->size() == count &&
                    rebuilt_via_depot->size() == count,
                "demands need via-depot flags of all nodes");
        require_demands(*demand, geometry.size());
    }
    require_capacity(capacity);
    const auto flags = [&](const std::optional<In<bool, 1>> &of) {
        return demand ? of->data() : nullptr;
    };
    sil::Ring ring;
    sil::without_gil([&] {
        ring = sil::recombine(geometry, count, run.data(), {nodes.data(), flags(via_depot)},
                              {rebuilt_nodes.data(), flags(rebuilt_via_depot)},
                              {demand ? demand->data() : nullptr, capacity});
    });
    return {to_numpy(std::move(ring.nodes)), to_numpy(std::move(ring.via_depot)), ring.gain};
}

}  // namespace

NB_MODULE(_native, m) {
    // Python may end while problems are still referenced; that is no leak of ours.
    nb::set_leak_warnings(false);
    m.doc() = "The native core of sil: geometry, construction and search.";
    sil::stop_at_exit();

    nb::enum_<sil::Metric>(m, "Metric")
        .value("EUCLIDEAN", sil::Metric::Euclidean)
        .value("EUC_2D", sil::Metric::Euc2d)
        .value("CEIL_2D", sil::Metric::Ceil2d)
        .value("ATT", sil::Metric::Att)
        .value("GEO", sil::Metric::Geo)
        .value("EXPLICIT", sil::Metric::Explicit);

    nb::class_<sil::Geometry>(m, "Geometry", "The nodes of a problem and their distances.")
        .def("__init__",
             [](sil::Geometry *self, sil::Metric metric, std::optional<In<double, 2>> coords,
                std::optional<In<double, 2>> matrix) {
                 new (self) sil::Geometry(make_geometry(metric, coords, matrix));
             },
             "metric"_a, "coords"_a = nb::none(), "matrix"_a = nb::none(),
             "A matrix is not copied, so it must not change.")
        .def("__len__", &sil::Geometry::size)
        .def(
            "distance",
            [](const sil::Geometry &self, int i, int j) {
                const int size = static_cast<int>(self.size());
                if (i < 0 || j < 0 || i >= size || j >= size) throw nb::index_error("no such node");
                return self.visit([&](auto distance) { return i == j ? 0.0 : distance(i, j); });
            },
            "i"_a, "j"_a, "Distance from node i to node j.");

    nb::class_<sil::Interrupt>(m, "Interrupt", "Asks native work to stop.")
        .def(nb::init<>())
        .def(nb::init<sil::Interrupt *>(), "parent"_a, nb::keep_alive<1, 2>(),
             "An interrupt with a deadline of its own, also set when its parent is, which sees how "
             "far its work has come.")
        .def("set", &sil::Interrupt::set, "Stop all work that watches this object.")
        .def(
            "expire_in",
            [](sil::Interrupt &self, double seconds) {
                require(!std::isnan(seconds), "the seconds are not a number");
                self.expire_in(seconds);
            },
            "seconds"_a,
             "Stop the work so many seconds from now.")
        .def("is_set", &sil::Interrupt::is_set, "Whether set, or past the deadline.")
        .def_prop_ro("fraction", &sil::Interrupt::fraction,
                     "How much of the native work under way is done, from 0 to 1.")
        .def_prop_ro("requested", &sil::Interrupt::requested,
                     "Whether set by hand, whatever the deadline.");

    nb::class_<sil::Fragments>(m, "Fragments", "Paths that grow by joining their ends.")
        .def("__init__",
             [](sil::Fragments *self, const In<std::int64_t, 1> &demand, std::int64_t capacity) {
                 require(demand.size() <= most_nodes, "there are too many nodes");
                 require_demands(demand, demand.size());
                 require_capacity(capacity);
                 new (self) sil::Fragments(to_vector(demand), capacity);
             },
             "demand"_a, "capacity"_a)
        .def("join", &join, "geometry"_a, "nodes"_a, "at"_a, "neighbours"_a, "depot"_a.none(),
             "interrupt"_a,
             "Join ends with neighbouring ends while that is allowed: the nearest first or, with a "
             "depot, those whose joining saves most.")
        .def("ends", &ends, "The two end nodes of each path.")
        .def("paths", &paths, "All nodes path by path, and where each path begins.")
        .def("__len__", &sil::Fragments::count);

    m.def("nearest", &nearest, "points"_a, "count"_a, "threads"_a, "interrupt"_a,
          "Indices (n, count) of the nearest others of points (n, 2 or 3), nearest first; None when "
          "interrupted.");
    m.def("spread", &spread, "points"_a, "near"_a, "count"_a, "threads"_a, "interrupt"_a,
          "Choose `count` of near others (n, w), two of each quadrant first; None when interrupted.");
    m.def("insertion", &insertion, "geometry"_a, "order"_a, "demand"_a.none(), "capacity"_a,
          "num_seeds"_a, "interrupt"_a,
          "Insert nodes in order, each at the cheapest place; None when interrupted.");
    m.def("improve_order", &improve_order, "geometry"_a, "nodes"_a, "starts"_a, "fixed_ends"_a,
          "neighbours"_a, "kicks"_a, "seed"_a, "threads"_a, "interrupt"_a,
          "Improve the order of routes through node 0, or of runs between their ends, by k-opt.");
    m.def("search_tour", &search_tour, "geometry"_a, "tour"_a, "region"_a, "regions"_a,
          "neighbours"_a, "descend"_a, "kicks"_a, "temperature"_a, "seed"_a, "threads"_a, "interrupt"_a,
          "Improve a tour inside each region by iterated k-opt.");
    m.def("search_routes", &search_routes, "geometry"_a, "nodes"_a, "starts"_a, "group"_a,
          "groups"_a, "demand"_a, "capacity"_a, "neighbours"_a, "held"_a.none(), "iterations"_a,
          "temperature"_a, "seed"_a, "threads"_a, "interrupt"_a,
          "Improve each group of routes by ruin and recreate.");
    m.def("hilbert_keys", &hilbert_keys, "coords"_a, "Place of each point on a Hilbert curve.");
    m.attr("MAX_EXACT_LENGTH") = sil::max_exact_length;
    m.def("reconstruct_exactly", &reconstruct_exactly, "geometry"_a, "nodes"_a.noconvert(),
          "via_depot"_a.none().noconvert(), "load_before"_a.none(), "load_after"_a.none(), "demand"_a.none(),
          "capacity"_a, "threads"_a, "interrupt"_a,
          "Replace each partial solution, in place, by the cheapest there is.");

    m.def("recombine", &recombine, "geometry"_a, "run"_a, "nodes"_a, "via_depot"_a.none(),
          "rebuilt_nodes"_a, "rebuilt_via_depot"_a.none(), "demand"_a.none(), "capacity"_a,
          "Take what is shorter from runs that were rebuilt; return nodes, flags and the gain.");
    bind_policy(m);
}
