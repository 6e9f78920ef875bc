// What Python sees of the native core, as the module sil._native.
#include <optional>
#include <string>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "bindings_policy.h"
#include "curve.h"
#include "exact.h"
#include "fragments.h"
#include "geometry.h"
#include "insertion.h"
#include "interrupt.h"
#include "recombine.h"
#include "route_order.h"
#include "route_search.h"
#include "tour_search.h"

using namespace nb::literals;

namespace {

sil::Geometry make_geometry(sil::Metric metric, const std::optional<In<double, 2>> &coords,
                            const std::optional<In<double, 2>> &matrix) {
    if (metric == sil::Metric::Explicit) {
        if (!matrix || matrix->shape(0) != matrix->shape(1))
            throw nb::value_error("an explicit metric needs a square matrix");
        return {nullptr, matrix->data(), matrix->shape(0), metric};
    }
    if (!coords) throw nb::value_error("this metric needs coordinates");
    as_points(*coords);
    return {coords->data(), nullptr, coords->shape(0), metric};
}

std::optional<std::pair<Out<int, 1>, Out<std::uint8_t, 1>>>
insertion(const sil::Geometry &geometry, const In<std::int32_t, 1> &order,
          const std::optional<In<std::int64_t, 1>> &demand, std::int64_t capacity,
          std::size_t num_seeds, sil::Interrupt &interrupt) {
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
                        double temperature, std::uint64_t seed, int threads, sil::Interrupt &interrupt) {
    if (tour.size() != geometry.size() || region.size() != geometry.size() ||
        neighbours.shape(0) != geometry.size())
        throw nb::value_error("a tour, regions and neighbours must be those of all nodes");
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
    if (nodes.size() >= geometry.size() || demand.size() != geometry.size() ||
        neighbours.shape(0) != geometry.size() || group.size() != starts.size() ||
        (held && held->size() != geometry.size()))
        throw nb::value_error("demands and neighbours must be those of all nodes");
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
    if (neighbours.shape(0) != geometry.size())
        throw nb::value_error("neighbours must have a row for each node");
    auto order = to_vector(nodes);
    sil::improve_order(geometry, order, to_vector(starts),
                       fixed_ends ? sil::Ends::Fixed : sil::Ends::Depot, neighbours.data(),
                       neighbours.shape(1), kicks, seed, threads, interrupt);
    return to_numpy(std::move(order));
}

void join(sil::Fragments &fragments, const sil::Geometry &geometry,
          const In<std::int32_t, 1> &nodes, const In<std::int32_t, 1> &at,
          const In<std::int32_t, 2> &neighbours, std::optional<int> depot,
          const sil::Interrupt &interrupt) {
    const std::size_t width = neighbours.shape(1);
    if (neighbours.shape(0) != at.shape(0))
        throw nb::value_error("every end needs a row of neighbours");
    nb::gil_scoped_release release;
    fragments.join(geometry,
                   {nodes.data(), at.data(), at.shape(0), neighbours.data(), width, depot},
                   interrupt);
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
    return to_numpy(sil::hilbert_keys(as_points(coords), coords.shape(0)));
}

void reconstruct_exactly(const sil::Geometry &geometry,
                         nb::ndarray<std::int32_t, nb::ndim<2>, nb::c_contig> nodes,
                         std::optional<nb::ndarray<bool, nb::ndim<2>, nb::c_contig>> via_depot,
                         const std::optional<In<std::int64_t, 1>> &load_before,
                         const std::optional<In<std::int64_t, 1>> &load_after,
                         const std::optional<In<std::int64_t, 1>> &demand, std::int64_t capacity,
                         int threads, sil::Interrupt &interrupt) {
    const int length = static_cast<int>(nodes.shape(1));
    if (length > sil::max_exact_length)
        throw nb::value_error("these partial solutions are too long for an exhaustive search");
    if (demand && !(via_depot && load_before && load_after))
        throw nb::value_error("demands need via-depot flags and loads");
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
    if (run.size() != count || rebuilt_nodes.size() != count || count > geometry.size())
        throw nb::value_error("the two rings must be of the same nodes");
    if (demand && !(via_depot && rebuilt_via_depot))
        throw nb::value_error("demands need via-depot flags");
    const auto flags = [&](const std::optional<In<bool, 1>> &of) {
        return demand ? of->data() : nullptr;
    };
    sil::Ring ring;
    {
        nb::gil_scoped_release release;
        ring = sil::recombine(geometry, count, run.data(), {nodes.data(), flags(via_depot)},
                              {rebuilt_nodes.data(), flags(rebuilt_via_depot)},
                              {demand ? demand->data() : nullptr, capacity});
    }
    return {to_numpy(std::move(ring.nodes)), to_numpy(std::move(ring.via_depot)), ring.gain};
}

}  // namespace

NB_MODULE(_native, m) {
    // Python may end while problems are still referenced; that is no leak of ours.
    nb::set_leak_warnings(false);
    m.doc() = "The native core of sil: geometry, construction and search.";

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
             // The matrix is not copied: keep it alive as long as this object.
             nb::keep_alive<1, 4>())
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
        .def(nb::init<const sil::Interrupt *>(), "parent"_a, nb::keep_alive<1, 2>(),
             "An interrupt with a deadline of its own, also set when its parent is.")
        .def("set", &sil::Interrupt::set, "Stop all work that watches this object.")
        .def("expire_in", &sil::Interrupt::expire_in, "seconds"_a,
             "Stop the work so many seconds from now.")
        .def("is_set", &sil::Interrupt::is_set, "Whether set, or past the deadline.")
        .def_prop_ro("fraction", &sil::Interrupt::fraction,
                     "How much of the native work under way is done, from 0 to 1.")
        .def_prop_ro("requested", &sil::Interrupt::requested,
                     "Whether set by hand, whatever the deadline.");

    nb::class_<sil::Fragments>(m, "Fragments", "Paths that grow by joining their ends.")
        .def("__init__",
             [](sil::Fragments *self, const In<std::int64_t, 1> &demand, std::int64_t capacity) {
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
    m.def("reconstruct_exactly", &reconstruct_exactly, "geometry"_a, "nodes"_a,
          "via_depot"_a.none(), "load_before"_a.none(), "load_after"_a.none(), "demand"_a.none(),
          "capacity"_a, "threads"_a, "interrupt"_a,
          "Replace each partial solution, in place, by the cheapest there is.");

    m.def("recombine", &recombine, "geometry"_a, "run"_a, "nodes"_a, "via_depot"_a.none(),
          "rebuilt_nodes"_a, "rebuilt_via_depot"_a.none(), "demand"_a.none(), "capacity"_a,
          "Take what is shorter from runs that were rebuilt; return nodes, flags and the gain.");
    bind_policy(m);
}
