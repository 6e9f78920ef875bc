// What Python sees of the policy: its attention, its states and its decoding.
#include <optional>
#include <string>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "attention.h"
#include "bindings_policy.h"
#include "checks.h"
#include "decode.h"
#include "interrupt.h"
#include "nearest_others.h"
#include "policy.h"

using namespace nb::literals;

namespace {

Out<std::int32_t, 3> nearest_others(const In<double, 3> &points, int wanted) {
    require_aligned(points);
    require(wanted >= 0 && wanted <= 1024, "0 to 1024 others can be wanted");
    const std::size_t sets = points.shape(0), count = points.shape(1), width = wanted;
    require(count <= most_nodes, "there are too many points");
    std::vector<std::int32_t> result(sets * count * width);
    const sil::Point *first = as_points(points);
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
        require_aligned(nodes, rows);
        // The kernels count the rows, the nodes and the scores of a state in 32 bits.
        const double pairs = static_cast<double>(rows.shape(0)) * rows.shape(2) + 8;
        require(pairs * rows.shape(3) < 2e9 && pairs * nodes.shape(1) < 2e9 &&
                    static_cast<double>(nodes.shape(1)) * nodes.shape(2) < 2e9,
                "attention is not made for arrays of this size");
        require(rows.shape(1) == states && rows.shape(3) == nodes.shape(2) && shape.dim > 0 &&
                    shape.dim % 16 == 0 && shape.heads > 0 && shape.representatives > 0,
                "nodes and rows must fit, their width a multiple of 16");
        of_nodes = static_cast<std::size_t>(shape.nodes) * shape.dim;
        of_rows = static_cast<std::size_t>(shape.representatives) * shape.dim;
        of_weights = static_cast<std::size_t>(shape.nodes) * sil::padded_of(shape);
    }

    // Calls visit(state, scratch) for each state.
    template <class Visit> void for_each(int threads, const Visit &visit) const {
        require_threads(threads);
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

    // Arrays of nodes, of representatives and of weights, in any number, are as this batch says.
    template <class... Arrays> void require_nodes(const Arrays &...arrays) const {
        (require_shape(arrays, {states, size(shape.nodes), size(shape.dim)}), ...);
    }
    template <class... Arrays> void require_rows(const Arrays &...arrays) const {
        (require_shape(arrays, {size(shape.heads), states, size(shape.representatives),
                                size(shape.dim)}),
         ...);
    }
    template <class... Arrays> void require_weights(const Arrays &...arrays) const {
        (require_shape(arrays, {states, size(shape.nodes), size(sil::padded_of(shape))}), ...);
    }

    // What arrays of nodes, of representatives and of weights hold of a state.
    template <class Array> auto *nodes(const Array &array, std::size_t state) const {
        return array.data() + state * of_nodes;
    }
    template <class Array> auto *rows(const Array &array, std::size_t state) const {
        return array.data() + state * of_rows;
    }
    template <class Array> auto *weights(const Array &array, std::size_t state) const {
        return array.data() + state * of_weights;
    }

    static std::size_t size(int value) { return static_cast<std::size_t>(value); }

    std::size_t states;
    sil::AttentionShape shape;
    std::size_t of_nodes, of_rows, of_weights;
    const sil::AttentionKernels &kernels = sil::best_attention_kernels();
};

void attention_aggregate(const In<float, 4> &queries, const In<float, 3> &nodes,
                         const In<bool, 2> &valid, int threads, Into<float, 3> weights, Into<float, 4> mixed) {
    const AttentionBatch of(nodes, queries);
    require_shape(valid, {of.states, of.size(of.shape.nodes)});
    of.require_weights(weights);
    of.require_rows(mixed);
    require_apart(weights, queries, nodes, valid, mixed);
    require_apart(mixed, queries, nodes, valid);
    of.for_each(threads, [&](std::size_t i, float *scratch) {
        of.kernels.aggregate(of.shape, of.rows(queries, i), of.nodes(nodes, i),
                             valid.data() + i * of.shape.nodes, scratch, of.weights(weights, i),
                             of.rows(mixed, i));
    });
}

void attention_aggregate_back(const In<float, 4> &queries, const In<float, 3> &nodes,
                              const In<float, 3> &weights, const In<float, 4> &to_mixed,
                              int threads, Into<float, 4> to_queries, Into<float, 3> to_nodes) {
    const AttentionBatch of(nodes, queries);
    of.require_weights(weights);
    of.require_rows(to_mixed, to_queries);
    of.require_nodes(to_nodes);
    require_apart(to_queries, queries, nodes, weights, to_mixed, to_nodes);
    require_apart(to_nodes, queries, nodes, weights, to_mixed);
    of.for_each(threads, [&](std::size_t i, float *scratch) {
        of.kernels.aggregate_back(of.shape, of.rows(queries, i), of.nodes(nodes, i),
                                  of.weights(weights, i), of.rows(to_mixed, i), scratch,
                                  of.rows(to_queries, i), of.nodes(to_nodes, i));
    });
}

void attention_broadcast(const In<float, 3> &nodes, const In<float, 4> &keys,
                         const In<float, 4> &values, int threads, Into<float, 3> weights, Into<float, 3> out) {
    const AttentionBatch of(nodes, keys);
    of.require_rows(values);
    of.require_weights(weights);
    of.require_nodes(out);
    require_apart(weights, nodes, keys, values, out);
    require_apart(out, nodes, keys, values);
    of.for_each(threads, [&](std::size_t i, float *scratch) {
        of.kernels.broadcast(of.shape, of.nodes(nodes, i), of.rows(keys, i), of.rows(values, i),
                             scratch, of.weights(weights, i), of.nodes(out, i));
    });
}

void attention_broadcast_back(const In<float, 3> &nodes, const In<float, 4> &keys,
                              const In<float, 4> &values, const In<float, 3> &weights,
                              const In<float, 3> &to_out, int threads, Into<float, 3> to_nodes,
                              Into<float, 4> to_keys, Into<float, 4> to_values) {
    const AttentionBatch of(nodes, keys);
    of.require_rows(values, to_keys, to_values);
    of.require_weights(weights);
    of.require_nodes(to_out, to_nodes);
    require_apart(to_nodes, nodes, keys, values, weights, to_out, to_keys, to_values);
    require_apart(to_keys, nodes, keys, values, weights, to_out, to_values);
    require_apart(to_values, nodes, keys, values, weights, to_out);
    of.for_each(threads, [&](std::size_t i, float *scratch) {
        of.kernels.broadcast_back(of.shape, of.nodes(nodes, i), of.rows(keys, i),
                                  of.rows(values, i), of.weights(weights, i), of.nodes(to_out, i),
                                  scratch, of.nodes(to_nodes, i), of.rows(to_keys, i),
                                  of.rows(to_values, i));
    });
}

// The numbers of a policy are small; what they say must be what the decoder writes and reads.
void make_shape(sil::PolicyShape *self, int dim, int layers, int heads, int feed_forward,
                int representatives, int features, int context, int actions, int candidates,
                int neighbours, sil::Frame frame, double reach) {
    const auto within = [](int value, int least, int most) {
        return value >= least && value <= most;
    };
    require(within(dim, 16, 1 << 14) && dim % 16 == 0 && within(feed_forward, 16, 1 << 16) &&
                feed_forward % 16 == 0,
            "dim and feed_forward must be multiples of 16, up to 2**14 and 2**16");
    require(within(heads, 1, dim) && dim % (8 * heads) == 0,
            "dim must be a multiple of 8 times the heads");
    require(within(layers, 1, 1024) && within(representatives, 2, (1 << 28) / (heads * dim)),
            "layers must be 1 to 1024, and representatives 2 to 2**28 / heads / dim");
    require(within(candidates, 0, 1 << 20) && within(neighbours, 0, 1024),
            "candidates must be 0 to 2**20, and neighbours 0 to 1024");
    require(within(actions, 1, 2), "actions must be 1 for TSP or 2 for CVRP");
    require(features == 2 * actions + 3 * neighbours && context == (actions == 2 ? 4 : 0),
            "features and context must be those of the actions and neighbours");
    require(reach > 0 && reach <= largest_coordinate, "reach must be a positive number");
    new (self) sil::PolicyShape{dim,     layers,  heads,      feed_forward, representatives, features,
                                context, actions, candidates, neighbours,   frame,           reach};
}

void make_policy(sil::Policy *self, const sil::PolicyShape &shape,
                 const nb::typed<nb::dict, nb::str, nb::object> &weights,
                 const std::string &instruction_set) {
    std::unordered_map<std::string, std::vector<float>> values;
    for (const auto &[name, array] : weights) {
        std::string key;
        nb::ndarray<const float, nb::c_contig, nb::device::cpu> data;
        if (!nb::try_cast(name, key) || !nb::try_cast(array, data))
            throw nb::type_error("weights must be arrays of single precision by their names");
        require_aligned(data);
        values[key] = {data.data(), data.data() + data.size()};
    }
    new (self) sil::Policy(shape, values, instruction_set);
}

Out<float, 3> policy_logits(const sil::Policy &policy, const In<float, 3> &nodes,
                            const In<float, 2> &start, const In<float, 2> &destination,
                            const In<float, 2> &context) {
    const std::size_t states = nodes.shape(0), count = nodes.shape(1);
    const std::size_t actions = policy.shape().actions, features = policy.shape().features;
    require(states <= most_nodes && count <= most_nodes, "there are too many states or candidates");
    require_shape(nodes, {states, count, features});
    require_shape(start, {states, features});
    require_shape(destination, {states, features});
    require_shape(context, {states, static_cast<std::size_t>(policy.shape().context)});
    std::vector<float> logits(states * count * actions), workspace;
    if (logits.empty()) return to_numpy<float, 3>(std::move(logits), {states, count, actions});
    policy.logits({static_cast<int>(states), static_cast<int>(count), nodes.data(), start.data(),
                   destination.data(), context.data()},
                  workspace, logits.data());
    return to_numpy<float, 3>(std::move(logits), {states, count, actions});
}

using RunNodes = Into<std::int32_t, 2>;
using RunFlags = std::optional<Into<bool, 2>>;
using RunLoads = std::optional<In<std::int64_t, 1>>;

sil::DecodeTask make_task(const sil::PolicyShape &shape, const In<double, 2> &coords,
                          const Runs &runs, const std::tuple<double, double, double> &box) {
    const sil::Point *points = as_points(coords);
    const std::size_t size = coords.shape(0);
    const auto [corner_x, corner_y, side] = box;
    require((shape.actions == 2) == runs.demand.has_value(),
            "this policy is for the other kind of problem");
    require_aligned(coords);
    require_finite(coords, "coordinates");
    require(size > 0 && size <= most_nodes, "1 to 2**30 nodes are needed");
    runs.require_valid(size);
    require_apart(runs.nodes, coords);
    if (runs.demand) {
        require_apart(*runs.via_depot, coords);
        require(runs.capacity > 0, "the capacity must be above 0");
    }
    require(std::abs(corner_x) <= largest_coordinate && std::abs(corner_y) <= largest_coordinate &&
                side > 0 && side <= largest_coordinate,
            "a box must be finite, its side above 0");
    return {points,
            runs.nodes.shape(0),
            static_cast<int>(runs.nodes.shape(1)),
            runs.nodes.data(),
            runs.demand ? runs.via_depot->data() : nullptr,
            runs.demand ? runs.load_before->data() : nullptr,
            runs.demand ? runs.load_after->data() : nullptr,
            runs.demand ? runs.demand->data() : nullptr,
            runs.capacity,
            corner_x,
            corner_y,
            side,
            false,
            0};
}

void policy_decode(const sil::Policy &policy, const In<double, 2> &coords, const RunNodes &nodes,
                   const RunFlags &via_depot, const RunLoads &load_before,
                   const RunLoads &load_after, const RunLoads &demand, std::int64_t capacity,
                   const std::tuple<double, double, double> &box, bool sample, std::uint64_t seed,
                   int threads, sil::Interrupt &interrupt) {
    require_threads(threads);
    sil::DecodeTask task =
        make_task(policy.shape(), coords,
                  {nodes, via_depot, load_before, load_after, demand, capacity}, box);
    task.sample = sample;
    task.seed = seed;
    sil::decode(policy, task, threads, interrupt);
}

std::tuple<Out<std::int32_t, 2>, Out<std::int64_t, 1>, Out<float, 3>, Out<float, 2>, Out<float, 2>,
           Out<float, 2>>
observe(const sil::PolicyShape &shape, const In<double, 2> &coords, const RunNodes &nodes,
        const RunFlags &via_depot, const RunLoads &load_before, const RunLoads &load_after,
        const RunLoads &demand, std::int64_t capacity,
        const std::tuple<double, double, double> &box, const In<std::int64_t, 1> &steps) {
    const sil::DecodeTask task =
        make_task(shape, coords, {nodes, via_depot, load_before, load_after, demand, capacity}, box);
    const std::size_t count = task.count, f = shape.features, c = shape.context;
    require(nodes.shape(1) >= 2, "a partial solution has two ends");
    const std::size_t inner = nodes.shape(1) - 2;
    const std::size_t wide = shape.candidates ? std::min<std::size_t>(shape.candidates, inner) : inner;
    require_shape(steps, {count});
    require_range(steps, 0, inner + 1, "steps");
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

void bind_policy(nb::module_ &m) {
    m.def("nearest_others", &nearest_others, "points"_a, "wanted"_a,
          "Indices (b, k, wanted) of the nearest others of each of the points (b, k, 2), or -1.");

    m.def("attention_aggregate", &attention_aggregate, "queries"_a, "nodes"_a, "valid"_a,
          "threads"_a, "weights"_a.noconvert(), "mixed"_a.noconvert(),
          "Representatives attend to nodes: write two arrays.");
    m.def("attention_aggregate_back", &attention_aggregate_back, "queries"_a, "nodes"_a,
          "weights"_a, "to_mixed"_a, "threads"_a, "to_queries"_a.noconvert(),
          "to_nodes"_a.noconvert(), "Write the gradients of `attention_aggregate`.");
    m.def("attention_broadcast", &attention_broadcast, "nodes"_a, "keys"_a, "values"_a,
          "threads"_a, "weights"_a.noconvert(), "out"_a.noconvert(),
          "Nodes attend to representatives: write two arrays.");
    m.def("attention_broadcast_back", &attention_broadcast_back, "nodes"_a, "keys"_a, "values"_a,
          "weights"_a, "to_out"_a, "threads"_a, "to_nodes"_a.noconvert(), "to_keys"_a.noconvert(),
          "to_values"_a.noconvert(), "Write the gradients of `attention_broadcast`.");

    nb::enum_<sil::Frame>(m, "Frame")
        .value("INSTANCE", sil::Frame::Instance)
        .value("SEGMENT", sil::Frame::Segment)
        .value("STEP", sil::Frame::Step);

    nb::class_<sil::PolicyShape>(m, "PolicyShape", "Sizes of a policy and what it sees.")
        .def("__init__", &make_shape, "dim"_a, "layers"_a, "heads"_a, "feed_forward"_a,
             "representatives"_a, "features"_a, "context"_a, "actions"_a, "candidates"_a,
             "neighbours"_a, "frame"_a, "reach"_a);
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
        .def("decode", &policy_decode, "coords"_a, "nodes"_a.noconvert(),
             "via_depot"_a.none().noconvert(),
             "load_before"_a.none(), "load_after"_a.none(), "demand"_a.none(), "capacity"_a,
             "box"_a, "sample"_a, "seed"_a, "threads"_a, "interrupt"_a,
             "Rebuild partial solutions, in place, node by node.");
}
