// What Python sees of the native core, as the module sil._native.
#include <optional>
#include <string>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "attention.h"
#include "curve.h"
#include "decode.h"
#include "exact.h"
#include "fragments.h"
#include "geometry.h"
#include "insertion.h"
#include "interrupt.h"
#include "nearest_others.h"
#include "policy.h"
#include "recombine.h"
#include "route_order.h"
#include "route_search.h"
#include "tour_search.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <class T, int N> using In = nb::ndarray<const T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;
template <class T, int N> using Out = nb::ndarray<nb::numpy, T, nb::ndim<N>>;

template <class T, int N = 1>
Out<T, N> to_numpy(std::vector<T> &&values, std::initializer_list<std::size_t> shape) {
    auto *kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void *p) noexcept { delete static_cast<std::vector<T> *>(p); });
    return Out<T, N>(kept->data(), shape, owner);
}

template <class T> Out<T, 1> to_numpy(std::vector<T> &&values) {
    const std::size_t size = values.size();
    return to_numpy<T, 1>(std::move(values), {size});
}

template <class T> std::vector<T> to_vector(const In<T, 1> &array) {
    return {array.data(), array.data() + array.size()};
}

const sil::Point *as_points(const In<double, 2> &coords) {
    if (coords.shape(1) != 2) throw nb::value_error("coordinates must have two columns");
    static_assert(sizeof(sil::Point) == 2 * sizeof(double));
    return reinterpret_cast<const sil::Point *>(coords.data());
}

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
              const In<std::int32_t, 2> &neighbours, double iterations, double temperature,
              std::uint64_t seed, int threads, sil::Interrupt &interrupt) {
    if (nodes.size() + 1 != geometry.size() || demand.size() != geometry.size() ||
        neighbours.shape(0) != geometry.size() || group.size() != starts.size())
        throw nb::value_error("routes, demands and neighbours must be those of all nodes");
    auto improved = to_vector(nodes);
    std::vector<char> first;
    sil::search_routes(geometry, improved, first, to_vector(starts), group.data(), groups,
                       demand.data(), capacity, neighbours.data(), neighbours.shape(1), iterations,
                       temperature, seed, threads, interrupt);
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
recombine(const sil::Geometry &geometry, std::size_t length, const In<std::int32_t, 1> &nodes,
          const std::optional<In<bool, 1>> &via_depot, const In<std::int32_t, 1> &rebuilt_nodes,
          const std::optional<In<bool, 1>> &rebuilt_via_depot,
          const std::optional<In<std::int64_t, 1>> &demand, std::int64_t capacity) {
    const std::size_t count = nodes.size();
    if (length < 1 || rebuilt_nodes.size() != count || count > geometry.size())
        throw nb::value_error("the two rings must be of the same nodes");
    if (demand && !(via_depot && rebuilt_via_depot))
        throw nb::value_error("demands need via-depot flags");
    const auto flags = [&](const std::optional<In<bool, 1>> &of) {
        return demand ? of->data() : nullptr;
    };
    sil::Ring ring;
    {
        nb::gil_scoped_release release;
        ring = sil::recombine(geometry, count, length, {nodes.data(), flags(via_depot)},
                              {rebuilt_nodes.data(), flags(rebuilt_via_depot)},
                              {demand ? demand->data() : nullptr, capacity});
    }
    return {to_numpy(std::move(ring.nodes)), to_numpy(std::move(ring.via_depot)), ring.gain};
}

Out<std::int32_t, 3> nearest_others(const In<double, 3> &points, int wanted) {
    const std::size_t sets = points.shape(0), count = points.shape(1), width = std::max(wanted, 0);
    if (points.shape(2) != 2) throw nb::value_error("points have two coordinates");
    std::vector<std::int32_t> result(sets * count * width);
    const auto *first = reinterpret_cast<const sil::Point *>(points.data());
    for (std::size_t i = 0; i < sets; ++i)
        sil::nearest_others(first + i * count, count, wanted, result.data() + i * count * width);
    return to_numpy<std::int32_t, 3>(std::move(result), {sets, count, width});
}

// A batch of states' attention. Arrays (states, ...) are as attention.h describes them for one
// state, but those of the representatives have the heads first: (heads, states, r, dim).
struct AttentionBatch {
    AttentionBatch(const In<float, 3> &nodes, const In<float, 4> &rows)
        : states(nodes.shape(0)),
          shape{static_cast<int>(nodes.shape(1)), static_cast<int>(nodes.shape(2)),
                static_cast<int>(rows.shape(0)), static_cast<int>(rows.shape(2)),
                static_cast<std::ptrdiff_t>(rows.shape(1) * rows.shape(2) * rows.shape(3))} {
        if (rows.shape(1) != states || rows.shape(3) != nodes.shape(2) || shape.dim % 16)
            throw nb::value_error("nodes and rows must fit, their width a multiple of 16");
        of_nodes = static_cast<std::size_t>(shape.nodes) * shape.dim;
        of_rows = static_cast<std::size_t>(shape.representatives) * shape.dim;
        of_weights = static_cast<std::size_t>(shape.nodes) * sil::padded_of(shape);
    }

    // Calls visit(state, scratch) for each state.
    template <class Visit> void for_each(int threads, const Visit &visit) const {
        const std::size_t parts = std::max(threads, 1), block = (states + parts - 1) / parts;
        const auto work = [&](std::size_t part) {
            std::vector<float> scratch(sil::scratch_of(shape));
            for (std::size_t i = part * block; i < std::min(states, (part + 1) * block); ++i)
                visit(i, scratch.data());
        };
        sil::Interrupt never;
        if (parts > 1) sil::parallel_for(parts, threads, never, work);
        else work(0);  // starting a thread would take as long as the work
    }

    std::size_t states;
    sil::AttentionShape shape;
    std::size_t of_nodes, of_rows, of_weights;
};

template <int NDIM> using Into = nb::ndarray<float, nb::ndim<NDIM>, nb::c_contig, nb::device::cpu>;

void attention_aggregate(const In<float, 4> &queries, const In<float, 3> &nodes,
                         const In<bool, 2> &valid, int threads, Into<3> weights,
                         Into<4> mixed) {
    const AttentionBatch of(nodes, queries);
    const sil::AttentionKernels &kernels = sil::best_attention_kernels();
    of.for_each(threads, [&](std::size_t i, float *scratch) {
        kernels.aggregate(of.shape, queries.data() + i * of.of_rows, nodes.data() + i * of.of_nodes,
                          valid.data() + i * of.shape.nodes, scratch,
                          weights.data() + i * of.of_weights, mixed.data() + i * of.of_rows);
    });
}

void attention_aggregate_back(const In<float, 4> &queries, const In<float, 3> &nodes,
                              const In<float, 3> &weights, const In<float, 4> &to_mixed, int threads, Into<4> to_queries, Into<3> to_nodes) {
    const AttentionBatch of(nodes, queries);
    const sil::AttentionKernels &kernels = sil::best_attention_kernels();
    of.for_each(threads, [&](std::size_t i, float *scratch) {
        kernels.aggregate_back(
            of.shape, queries.data() + i * of.of_rows, nodes.data() + i * of.of_nodes,
            weights.data() + i * of.of_weights, to_mixed.data() + i * of.of_rows, scratch,
            to_queries.data() + i * of.of_rows, to_nodes.data() + i * of.of_nodes);
    });
}

void attention_broadcast(const In<float, 3> &nodes, const In<float, 4> &keys,
                         const In<float, 4> &values, int threads, Into<3> weights,
                         Into<3> out) {
    const AttentionBatch of(nodes, keys);
    const sil::AttentionKernels &kernels = sil::best_attention_kernels();
    of.for_each(threads, [&](std::size_t i, float *scratch) {
        kernels.broadcast(of.shape, nodes.data() + i * of.of_nodes, keys.data() + i * of.of_rows,
                          values.data() + i * of.of_rows, scratch,
                          weights.data() + i * of.of_weights, out.data() + i * of.of_nodes);
    });
}

void attention_broadcast_back(const In<float, 3> &nodes, const In<float, 4> &keys,
                              const In<float, 4> &values, const In<float, 3> &weights,
                              const In<float, 3> &to_out, int threads, Into<3> to_nodes,
                              Into<4> to_keys, Into<4> to_values) {
    const AttentionBatch of(nodes, keys);
    const sil::AttentionKernels &kernels = sil::best_attention_kernels();
    of.for_each(threads, [&](std::size_t i, float *scratch) {
        kernels.broadcast_back(
            of.shape, nodes.data() + i * of.of_nodes, keys.data() + i * of.of_rows,
            values.data() + i * of.of_rows, weights.data() + i * of.of_weights,
            to_out.data() + i * of.of_nodes, scratch, to_nodes.data() + i * of.of_nodes,
            to_keys.data() + i * of.of_rows, to_values.data() + i * of.of_rows);
    });
}

void make_policy(sil::Policy *self, const sil::PolicyShape &shape,
                 const nb::typed<nb::dict, nb::str, nb::object> &weights,
                 const std::string &instruction_set) {
    std::unordered_map<std::string, std::vector<float>> values;
    for (const auto &[name, array] : weights) {
        const auto data = nb::cast<nb::ndarray<const float, nb::c_contig, nb::device::cpu>>(array);
        values[nb::cast<std::string>(name)] = {data.data(), data.data() + data.size()};
    }
    new (self) sil::Policy(shape, values, instruction_set);
}

Out<float, 3> policy_logits(const sil::Policy &policy, const In<float, 3> &nodes,
                            const In<float, 2> &start, const In<float, 2> &destination,
                            const In<float, 2> &context) {
    const std::size_t states = nodes.shape(0), count = nodes.shape(1);
    const std::size_t actions = policy.shape().actions;
    std::vector<float> logits(states * count * actions), workspace;
    policy.logits({static_cast<int>(states), static_cast<int>(count), nodes.data(), start.data(),
                   destination.data(), context.data()},
                  workspace, logits.data());
    return to_numpy<float, 3>(std::move(logits), {states, count, actions});
}

using RunNodes = nb::ndarray<std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using RunFlags = std::optional<nb::ndarray<bool, nb::ndim<2>, nb::c_contig, nb::device::cpu>>;
using RunLoads = std::optional<In<std::int64_t, 1>>;

sil::DecodeTask make_task(const sil::PolicyShape &shape, const In<double, 2> &coords,
                          const RunNodes &nodes, const RunFlags &via_depot,
                          const RunLoads &load_before, const RunLoads &load_after,
                          const RunLoads &demand, std::int64_t capacity,
                          const std::tuple<double, double, double> &box) {
    if (demand && !(via_depot && load_before && load_after))
        throw nb::value_error("demands need via-depot flags and loads");
    if ((shape.actions == 2) != demand.has_value())
        throw nb::value_error("this policy is for the other kind of problem");
    const auto [corner_x, corner_y, side] = box;
    return {as_points(coords),
            nodes.shape(0),
            static_cast<int>(nodes.shape(1)),
            nodes.data(),
            demand ? via_depot->data() : nullptr,
            demand ? load_before->data() : nullptr,
            demand ? load_after->data() : nullptr,
            demand ? demand->data() : nullptr,
            capacity,
            corner_x,
            corner_y,
            side,
            false,
            0};
}

void policy_decode(const sil::Policy &policy, const In<double, 2> &coords, RunNodes nodes,
                   RunFlags via_depot, const RunLoads &load_before, const RunLoads &load_after,
                   const RunLoads &demand, std::int64_t capacity,
                   const std::tuple<double, double, double> &box, bool sample, std::uint64_t seed,
                   int threads, sil::Interrupt &interrupt) {
    sil::DecodeTask task = make_task(policy.shape(), coords, nodes, via_depot, load_before,
                                     load_after, demand, capacity, box);
    task.sample = sample;
    task.seed = seed;
    sil::decode(policy, task, std::max(threads, 1), interrupt);
}

std::tuple<Out<std::int32_t, 2>, Out<std::int64_t, 1>, Out<float, 3>, Out<float, 2>, Out<float, 2>,
           Out<float, 2>>
observe(const sil::PolicyShape &shape, const In<double, 2> &coords, RunNodes nodes,
        RunFlags via_depot, const RunLoads &load_before, const RunLoads &load_after,
        const RunLoads &demand, std::int64_t capacity,
        const std::tuple<double, double, double> &box, const In<std::int64_t, 1> &steps) {
    const sil::DecodeTask task = make_task(shape, coords, nodes, via_depot, load_before, load_after,
                                           demand, capacity, box);
    const std::size_t count = task.count, f = shape.features, c = shape.context;
    const std::size_t inner = nodes.shape(1) - std::min<std::size_t>(nodes.shape(1), 2);
    const std::size_t wide = shape.candidates ? std::min<std::size_t>(shape.candidates, inner) : inner;
    if (steps.size() != count) throw nb::value_error("every run needs a step");
    for (std::size_t i = 0; i < count; ++i)
        if (steps.data()[i] < 0 || steps.data()[i] > static_cast<std::int64_t>(inner))
            throw nb::value_error("a step lies outside of its run");
    std::vector<std::int32_t> candidates(count * wide, -1);
    std::vector<std::int64_t> remaining(demand ? count : 0);
    std::vector<float> seen(count * wide * f), start(count * f), destination(count * f),
        context(count * c);
    sil::observe(shape, task, steps.data(),
                 {wide, candidates.data(), demand ? remaining.data() : nullptr, seen.data(),
                  start.data(), destination.data(), context.data()});
    return {to_numpy<std::int32_t, 2>(std::move(candidates), {count, wide}),
            to_numpy(std::move(remaining)),
            to_numpy<float, 3>(std::move(seen), {count, wide, f}),
            to_numpy<float, 2>(std::move(start), {count, f}),
            to_numpy<float, 2>(std::move(destination), {count, f}),
            to_numpy<float, 2>(std::move(context), {count, c})};
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
          "groups"_a, "demand"_a, "capacity"_a, "neighbours"_a, "iterations"_a, "temperature"_a,
          "seed"_a, "threads"_a, "interrupt"_a,
          "Improve each group of routes by ruin and recreate.");
    m.def("hilbert_keys", &hilbert_keys, "coords"_a, "Place of each point on a Hilbert curve.");
    m.attr("MAX_EXACT_LENGTH") = sil::max_exact_length;
    m.def("reconstruct_exactly", &reconstruct_exactly, "geometry"_a, "nodes"_a,
          "via_depot"_a.none(), "load_before"_a.none(), "load_after"_a.none(), "demand"_a.none(),
          "capacity"_a, "threads"_a, "interrupt"_a,
          "Replace each partial solution, in place, by the cheapest there is.");

    m.def("recombine", &recombine, "geometry"_a, "length"_a, "nodes"_a, "via_depot"_a.none(),
          "rebuilt_nodes"_a, "rebuilt_via_depot"_a.none(), "demand"_a.none(), "capacity"_a,
          "Take what is shorter from runs that were rebuilt; return nodes, flags and the gain.");
    m.def("nearest_others", &nearest_others, "points"_a, "wanted"_a,
          "Indices (b, k, wanted) of the nearest others of each of the points (b, k, 2), or -1.");

    m.def("attention_aggregate", &attention_aggregate, "queries"_a, "nodes"_a, "valid"_a,
          "threads"_a, "weights"_a, "mixed"_a, "Representatives attend to nodes: write two arrays.");
    m.def("attention_aggregate_back", &attention_aggregate_back, "queries"_a, "nodes"_a,
          "weights"_a, "to_mixed"_a, "threads"_a, "to_queries"_a, "to_nodes"_a,
          "Write the gradients of `attention_aggregate`.");
    m.def("attention_broadcast", &attention_broadcast, "nodes"_a, "keys"_a, "values"_a,
          "threads"_a, "weights"_a, "out"_a, "Nodes attend to representatives: write two arrays.");
    m.def("attention_broadcast_back", &attention_broadcast_back, "nodes"_a, "keys"_a, "values"_a,
          "weights"_a, "to_out"_a, "threads"_a, "to_nodes"_a, "to_keys"_a,
          "to_values"_a, "Write the gradients of `attention_broadcast`.");

    nb::enum_<sil::Frame>(m, "Frame")
        .value("INSTANCE", sil::Frame::Instance)
        .value("SEGMENT", sil::Frame::Segment)
        .value("STEP", sil::Frame::Step);

    nb::class_<sil::PolicyShape>(m, "PolicyShape", "Sizes of a policy and what it sees.")
        .def(nb::init<int, int, int, int, int, int, int, int, int, int, sil::Frame>(), "dim"_a,
             "layers"_a, "heads"_a, "feed_forward"_a, "representatives"_a, "features"_a,
             "context"_a, "actions"_a, "candidates"_a, "neighbours"_a, "frame"_a);
    m.def("instruction_sets", &sil::instruction_sets,
          "What this processor can run of the engine's builds, the fastest first.");
    m.def("observe", &observe, "shape"_a, "coords"_a, "nodes"_a, "via_depot"_a.none(),
          "load_before"_a.none(), "load_after"_a.none(), "demand"_a.none(), "capacity"_a, "box"_a,
          "steps"_a,
          "What the network sees of a state of each run: candidates, remaining, its four inputs.");

    nb::class_<sil::Policy>(m, "Policy", "The policy, ready to score and decode.")
        .def("__init__", &make_policy, "shape"_a, "weights"_a, "instruction_set"_a)
        .def("logits", &policy_logits, "nodes"_a, "start"_a, "destination"_a, "context"_a,
             "Score the candidates of decoding states that are all there.")
        .def("decode", &policy_decode, "coords"_a, "nodes"_a, "via_depot"_a.none(),
             "load_before"_a.none(), "load_after"_a.none(), "demand"_a.none(), "capacity"_a,
             "box"_a, "sample"_a, "seed"_a, "threads"_a, "interrupt"_a,
             "Rebuild partial solutions, in place, node by node.");
}
