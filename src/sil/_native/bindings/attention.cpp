// Bindings of the network's attention, for training, and of its neighbour features, for the tests.
#include "policy/attention.h"

#include "bindings/arrays.h"
#include "bindings/bindings.h"
#include "bindings/checks.h"
#include "core/interrupt.h"
#include "policy/nearest_others.h"

using namespace nb::literals;

namespace {

Out<std::int32_t, 3> nearest_others(const In<double, 3> &points, int wanted) {
    require_aligned(points);
    require(wanted >= 0 && wanted <= 1024, "wanted must be 0 to 1024");
    const std::size_t sets = points.shape(0), count = points.shape(1), width = wanted;
    require(count <= most_nodes, "there are too many points");
    std::vector<std::int32_t> result(sets * count * width);
    const sil::Point *first = as_points(points);
    for (std::size_t i = 0; i < sets; ++i)
        sil::nearest_others(first + i * count, count, wanted, result.data() + i * count * width);
    return to_numpy<std::int32_t, 3>(std::move(result), {sets, count, width});
}

// Attention of a batch of states. Arrays (states, ...) are as attention.h describes them for one
// state, except that those of the representatives begin with the heads: (heads, states, r, dim).
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
                "the arrays are too large for attention");
        require(rows.shape(1) == states && rows.shape(3) == nodes.shape(2) && shape.dim > 0 &&
                    shape.dim % 16 == 0 && shape.heads > 0 && shape.representatives > 0,
                "nodes and rows must match, and their width must be a multiple of 16");
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

    // Check the shapes of arrays of nodes, of representatives and of weights.
    template <class... Arrays> void require_nodes(const Arrays &...arrays) const {
        (require_shape(arrays, {states, size(shape.nodes), size(shape.dim)}), ...);
    }
    template <class... Arrays> void require_rows(const Arrays &...arrays) const {
        (require_shape(arrays,
                       {size(shape.heads), states, size(shape.representatives), size(shape.dim)}),
         ...);
    }
    template <class... Arrays> void require_weights(const Arrays &...arrays) const {
        (require_shape(arrays, {states, size(shape.nodes), size(sil::padded_of(shape))}), ...);
    }

    // Where the data of a state begin in arrays of nodes, of representatives and of weights.
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
                         const In<bool, 2> &valid, int threads, Into<float, 3> weights,
                         Into<float, 4> mixed) {
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
                         const In<float, 4> &values, int threads, Into<float, 3> weights,
                         Into<float, 3> out) {
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

}  // namespace

void bind_attention(nb::module_ &m) {
    m.def("nearest_others", &nearest_others, "points"_a, "wanted"_a,
          "Find the nearest others of each point (b, k, 2): indices (b, k, wanted), or -1.");

    m.def("attention_aggregate", &attention_aggregate, "queries"_a, "nodes"_a, "valid"_a,
          "threads"_a, "weights"_a.noconvert(), "mixed"_a.noconvert(),
          "Let representatives attend to nodes; write `weights` and `mixed`.");
    m.def("attention_aggregate_back", &attention_aggregate_back, "queries"_a, "nodes"_a,
          "weights"_a, "to_mixed"_a, "threads"_a, "to_queries"_a.noconvert(),
          "to_nodes"_a.noconvert(), "Write the gradients of `attention_aggregate`.");
    m.def("attention_broadcast", &attention_broadcast, "nodes"_a, "keys"_a, "values"_a, "threads"_a,
          "weights"_a.noconvert(), "out"_a.noconvert(),
          "Let nodes attend to representatives; write `weights` and `out`.");
    m.def("attention_broadcast_back", &attention_broadcast_back, "nodes"_a, "keys"_a, "values"_a,
          "weights"_a, "to_out"_a, "threads"_a, "to_nodes"_a.noconvert(), "to_keys"_a.noconvert(),
          "to_values"_a.noconvert(), "Write the gradients of `attention_broadcast`.");
}
