// Bindings of problems, solutions and interrupts.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include <nanobind/stl/optional.h>

#include "bindings/arrays.h"
#include "bindings/bindings.h"
#include "bindings/checks.h"
#include "core/candidates.h"
#include "core/curve.h"
#include "core/delaunay.h"
#include "core/instance.h"

using namespace nb::literals;

namespace {

// Goes block by block to stay in the cache.
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
    require(fine, "distances must be symmetric and not negative");
}

sil::Geometry make_geometry(sil::Metric metric, const std::optional<In<double, 2>> &coords,
                            const std::optional<In<double, 2>> &matrix, double detour) {
    if (metric == sil::Metric::Explicit) {
        require(matrix && matrix->shape(0) == matrix->shape(1),
                "an explicit metric needs a square matrix");
        require_size(matrix->shape(0));
        require_aligned(*matrix);
        require_finite(*matrix, "distances");
        require_symmetric(*matrix);
        sil::Geometry geometry(nullptr, matrix->data(), matrix->shape(0), metric);
        geometry.keep(std::make_shared<In<double, 2>>(*matrix));
        return geometry;
    }
    require(coords.has_value(), "this metric needs coordinates");
    require_coords(*coords);
    require_size(coords->shape(0));
    require(detour > 0 && detour <= largest_coordinate, "the detour must be a number above 0");
    return {coords->data(), nullptr, coords->shape(0), metric, detour};
}

void make_instance(sil::Instance *self, sil::Metric metric,
                   const std::optional<In<double, 2>> &coords,
                   const std::optional<In<double, 2>> &matrix,
                   const std::optional<In<double, 2>> &layout,
                   const std::optional<In<std::int64_t, 1>> &demand, std::int64_t capacity,
                   double detour, const std::optional<In<double, 1>> &service, double max_length,
                   double max_duration, std::optional<int> max_routes) {
    sil::Geometry geometry = make_geometry(metric, coords, matrix, detour);
    const std::size_t size = geometry.size();
    std::vector<sil::Point> places;
    if (!geometry.is_planar()) {
        require(layout && layout->shape(0) == size, "this metric needs a layout of all nodes");
        const sil::Point *first = require_coords(*layout);
        places.assign(first, first + size);
    }
    if (demand) require_demands(*demand, size);
    require_capacity(capacity);
    if (service) require_service(*service, size);
    require(max_length > 0 && max_duration > 0, "limits of routes must be above 0");
    require(!max_routes || *max_routes > 0, "the number of routes must be above 0");
    sil::Limits limits{capacity, max_length, max_duration};
    if (max_routes) limits.vehicles = *max_routes;
    new (self) sil::Instance(std::move(geometry), std::move(places),
                             demand ? to_vector(*demand) : std::vector<std::int64_t>{},
                             service ? to_vector(*service) : std::vector<double>{}, limits);
}

std::optional<sil::Neighbours> nearest(const sil::Instance &self, std::size_t count, int threads,
                                       sil::Interrupt &interrupt) {
    require(count < self.size(), "count must be less than the number of nodes");
    require_threads(threads);
    return self.nearest(count, threads, interrupt);
}

std::optional<sil::Candidates> candidates(const sil::Instance &self, const sil::Neighbours &near,
                                          int threads, sil::Interrupt &interrupt) {
    require_lists(self, near);
    require(near.width() <= 32, "lists of candidates have at most 32 entries");
    require_threads(threads);
    return sil::candidates(self, near, threads, interrupt);
}

nb::object triangulate(const In<double, 2> &coords, int threads, sil::Interrupt &interrupt) {
    const sil::Point *points = require_coords(coords);
    require_size(coords.shape(0));
    require_threads(threads);
    auto found = sil::triangulate(points, coords.shape(0), threads, interrupt);
    if (interrupt.is_set()) return nb::none();
    return nb::make_tuple(to_numpy(
                              std::vector<std::int64_t>(found.first.begin(), found.first.end())),
                          to_numpy(std::move(found.others)));
}

void make_neighbours(sil::Neighbours *self, const In<std::int32_t, 2> &lists) {
    const std::size_t size = lists.shape(0), width = lists.shape(1);
    require_aligned(lists);
    require(size <= most_nodes && width < most_nodes, "there are too many neighbours");
    require_range(lists, 0, size, "neighbours");
    new (self) sil::Neighbours({lists.data(), lists.data() + lists.size()}, size, width);
}

Out<std::int32_t, 2> lists_of(const sil::Neighbours &self) {
    std::vector<std::int32_t> lists;
    lists.reserve(self.size() * self.width());
    for (std::size_t i = 0; i < self.size(); ++i) {
        const std::int32_t *of = self.of(static_cast<int>(i));
        lists.insert(lists.end(), of, of + self.width());
    }
    return to_numpy<std::int32_t, 2>(std::move(lists), {self.size(), self.width()});
}

std::optional<sil::Neighbours> spread(const sil::Neighbours &self, const sil::Instance &instance,
                                      std::size_t width, int threads, sil::Interrupt &interrupt) {
    require_lists(instance, self);
    require_threads(threads);
    auto found = self.spread(instance.layout(), width, threads, interrupt);
    if (interrupt.is_set()) return std::nullopt;
    return found;
}

std::optional<sil::Neighbours> renumbered(const sil::Neighbours &self,
                                          const In<std::int32_t, 1> &order, bool without_depot,
                                          std::size_t width, int threads,
                                          sil::Interrupt &interrupt) {
    require(order.size() == self.size(), "the order must contain all nodes");
    require_aligned(order);
    require_distinct(order, 0, self.size());
    require(width <= self.width(), "the lists are shorter than the width");
    require_threads(threads);
    auto found = self.renumbered(to_vector(order), without_depot, width, threads, interrupt);
    if (interrupt.is_set()) return std::nullopt;
    return found;
}

void make_routes(sil::Routes *self, const In<std::int32_t, 1> &nodes,
                 const In<std::int32_t, 1> &starts) {
    require_aligned(nodes, starts);
    require_starts(starts, nodes.size());
    new (self) sil::Routes{to_vector(nodes), to_vector(starts)};
}

double cost(const sil::Instance &self, const sil::Routes &routes) {
    require_whole_routes(self, routes);
    return self.cost(routes);
}

Out<std::uint64_t, 1> hilbert_keys(const In<double, 2> &coords) {
    return to_numpy(sil::hilbert_keys(require_coords(coords), coords.shape(0)));
}

}  // namespace

void bind_core(nb::module_ &m) {
    nb::enum_<sil::Metric>(m, "Metric")
        .value("EUCLIDEAN", sil::Metric::Euclidean)
        .value("EUC_2D", sil::Metric::Euc2d)
        .value("CEIL_2D", sil::Metric::Ceil2d)
        .value("ATT", sil::Metric::Att)
        .value("GEO", sil::Metric::Geo)
        .value("HAVERSINE", sil::Metric::Haversine)
        .value("EXPLICIT", sil::Metric::Explicit);

    nb::class_<sil::Interrupt>(m, "Interrupt", "Asks native work to stop.")
        .def(nb::init<>())
        .def(nb::init<sil::Interrupt *>(), "parent"_a, nb::keep_alive<1, 2>(),
             "An interrupt with its own deadline. It is also set when its parent is, and reports "
             "progress to it.")
        .def("set", &sil::Interrupt::set, "Stop all work that watches this object.")
        .def(
            "expire_in",
            [](sil::Interrupt &self, double seconds) {
                require(!std::isnan(seconds), "seconds must not be NaN");
                self.expire_in(seconds);
            },
            "seconds"_a, "Stop the work this many seconds from now.")
        .def("is_set", &sil::Interrupt::is_set, "Whether it is set or its deadline has passed.")
        .def_prop_ro("fraction", &sil::Interrupt::fraction,
                     "Progress of the current native work, from 0 to 1.")
        .def_prop_ro("requested", &sil::Interrupt::requested,
                     "Whether `set` was called, regardless of the deadline.");

    nb::class_<sil::Routes>(m, "Routes",
                            "Nodes in the order of their visit, and where routes begin.")
        .def("__init__", &make_routes, "nodes"_a, "starts"_a)
        .def_prop_ro("nodes", [](nb::handle self) { return view_of(self, &sil::Routes::nodes); })
        .def_prop_ro("starts", [](nb::handle self) { return view_of(self, &sil::Routes::starts); });

    nb::class_<sil::Neighbours>(m, "Neighbours", "A list of near nodes for each node.")
        .def("__init__", &make_neighbours, "lists"_a)
        .def("__len__", &sil::Neighbours::size)
        .def_prop_ro("width", &sil::Neighbours::width, "Length of each list.")
        .def_prop_ro("lists", &lists_of, nb::rv_policy::automatic,
                     "The lists, shape (nodes, width).")
        .def(
            "narrowed",
            [](const sil::Neighbours &self, std::size_t width) {
                require(width <= self.width(), "the lists are shorter than the width");
                return self.narrowed(width);
            },
            "width"_a, "Keep the first `width` entries of each list.")
        .def("spread", &spread, "instance"_a, "width"_a, "threads"_a, "interrupt"_a,
             "Keep `width` entries of each list, in all directions; None when interrupted.")
        .def("renumbered", &renumbered, "order"_a, "without_depot"_a, "width"_a, "threads"_a,
             "interrupt"_a,
             "Renumber the nodes, so that node i is the previous node order[i], and keep the first "
             "`width` entries of each list, with or without the depot; None when interrupted.");

    nb::class_<sil::Candidates>(m, "Candidates", "Near nodes on all sides of each node.")
        .def_ro("lists", &sil::Candidates::lists, "The nodes, nearest first.")
        .def_prop_ro(
            "around", [](nb::handle self) { return view_of(self, &sil::Candidates::around); },
            "Bit k of a node: entry k of its list is its neighbour in the Delaunay triangulation.");

    nb::class_<sil::Instance>(m, "Instance", "A problem, prepared for native code.")
        .def("__init__", &make_instance, "metric"_a, "coords"_a = nb::none(),
             "matrix"_a = nb::none(), "layout"_a = nb::none(), "demand"_a = nb::none(),
             "capacity"_a = 0, "detour"_a = 1.0, "service"_a = nb::none(),
             "max_length"_a = sil::Limits::none, "max_duration"_a = sil::Limits::none,
             "max_routes"_a = nb::none(),
             "Service times and the greatest duration are given as lengths. The matrix is not "
             "copied and must not change.")
        .def("__len__", &sil::Instance::size)
        .def_prop_ro("has_places", &sil::Instance::has_places,
                     "Whether nodes have places, or only a matrix of distances.")
        .def(
            "distance",
            [](const sil::Instance &self, int i, int j) {
                const int size = static_cast<int>(self.size());
                if (i < 0 || j < 0 || i >= size || j >= size) throw nb::index_error("no such node");
                return self.geometry().visit(
                    [&](auto distance) { return i == j ? 0.0 : distance(i, j); });
            },
            "i"_a, "j"_a, "Distance from node i to node j.")
        .def("cost", &cost, "routes"_a, "Length of a tour, or total length of all routes.")
        .def("nearest", &nearest, "count"_a, "threads"_a, "interrupt"_a,
             "Find the nearest other nodes of each node, including the depot, and keep them; None "
             "when interrupted.")
        .def("candidates", &candidates, "near"_a, "threads"_a, "interrupt"_a,
             "Find near nodes on all sides of each node, given lists of the nearest; None when "
             "interrupted.")
        .def("expect_nearest", &sil::Instance::expect_nearest, "count"_a,
             "Announce that lists of this length will be needed.")
        .def(
            "renumbered",
            [](const sil::Instance &self, const In<std::int32_t, 1> &order) {
                require(order.size() == self.size(), "the order must contain all nodes");
                require_aligned(order);
                require_distinct(order, 0, self.size());
                require(!self.has_depot() || order.data()[0] == 0, "the depot must stay node 0");
                return self.renumbered(to_vector(order));
            },
            "order"_a, "Renumber the nodes, so that node i is the previous node order[i].")
        .def(
            "with_demand",
            [](const sil::Instance &self, const In<std::int64_t, 1> &demand) {
                require(self.has_depot(), "a TSP has no demands");
                require_demands(demand, self.size());
                return self.with_demand(to_vector(demand));
            },
            "demand"_a, "Return the same nodes with other demands.");

    m.def("triangulate", &triangulate, "coords"_a, "threads"_a, "interrupt"_a,
          nb::sig("def triangulate(coords: NDArray[numpy.float64], threads: int, interrupt: "
                  "Interrupt) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32]] | None"),
          "Triangulate points (Delaunay): where the list of each point begins, and its neighbours, "
          "nearest first; None when interrupted.");
    m.def("hilbert_keys", &hilbert_keys, "coords"_a, "Position of each point on a Hilbert curve.");
}
