// Included by network_avx512.cpp, network_avx2.cpp and network_portable.cpp, each with its own
// flags and namespace. Uses nothing from the standard library: the linker could otherwise use an
// AVX function elsewhere, on a processor that cannot run it.

namespace sil::SIL_INSTRUCTION_SET {
namespace {

#include "policy/matrix_kernels.inl"

#include "policy/attention_kernels.inl"

// hidden = relu(widen(x))
void widen(const AttentionWeights &w, int rows, const float *x, float *hidden) {
    const int dim = w.widen.inputs, wide = w.widen.outputs;
    multiply<Write::SetRelu>(rows, wide, dim, x, dim, 1, w.widen.data, 16, 16 * dim, hidden, wide,
                             w.widen_bias);
}

// The rows divided by their root mean squares, in `out`, or just as they are if the network does not
// normalise.
const float *normalised(const Network &net, int rows, const float *x, float *out) {
    if (!net.normalised) return x;
    constexpr float tiny = 1e-6f;
    const int d = net.dim;
    for (int i = 0; i < rows; ++i) {
        const float *row = x + static_cast<std::ptrdiff_t>(i) * d;
        float *to = out + static_cast<std::ptrdiff_t>(i) * d;
        Vector squares = all(0);
        for (int c = 0; c < d; c += 8) squares += load(row + c) * load(row + c);
        float sum = 0;
        for (int lane = 0; lane < 8; ++lane) sum += squares[lane];
        const Vector scale = all(1 / __builtin_sqrtf(sum / static_cast<float>(d) + tiny));
        for (int c = 0; c < d; c += 8) store(to + c, load(row + c) * scale);
    }
    return out;
}

// x += narrow(relu(widen(x))), in tiles of rows so that the hidden layer stays in the cache.
void feed_forward(const Network &net, const AttentionWeights &w, int rows, float *x, float *hidden,
                  float *tile) {
    constexpr int depth_tile = 256;
    const int dim = w.widen.inputs, wide = w.widen.outputs;
    for (int first = 0; first < rows; first += hidden_rows) {
        const int count = rows - first < hidden_rows ? rows - first : hidden_rows;
        float *part = x + static_cast<std::ptrdiff_t>(first) * dim;
        widen(w, count, normalised(net, count, part, tile), hidden);
        for (int k = 0; k < wide; k += depth_tile) {
            const int depth = wide - k < depth_tile ? wide - k : depth_tile;
            multiply<Write::Add>(count, dim, depth, hidden + k, wide, 1, w.narrow.data + 16 * k, 16,
                                 16 * wide, part, dim, k == 0 ? w.narrow_bias : nullptr);
        }
    }
}

// folded[s][head * r + j] = projected[s * r + j][head] * weights[head], so that a node's score is
// one dot product: projected (states * r x d), weights (d x d) as trained.
void fold(const Network &net, int states, const float *projected, const float *weights,
          float *folded) {
    const int d = net.dim, r = net.representatives, head_dim = d / net.heads;
    for (int s = 0; s < states; ++s)
        for (int head = 0; head < net.heads; ++head)
            multiply_plain<Write::Set>(
                r, d, head_dim,
                projected + static_cast<std::ptrdiff_t>(s) * r * d + head * head_dim, d,
                weights + static_cast<std::ptrdiff_t>(head) * head_dim * d, d,
                folded + (static_cast<std::ptrdiff_t>(s) * net.heads + head) * r * d, d);
}

struct Parts {
    float *projected, *values, *folded, *folded_values, *scratch, *scores, *mixed, *joined, *hidden;
    float *seen, *seen_representatives, *tile;  // normalised rows; unused if there are none
};

// R <- AttentionLayer(R, H), equation (aggregate).
void aggregate(const Network &net, const AttentionWeights &w, int states, int m, float *r,
               const float *h, const Parts &at) {
    const int d = net.dim, reps = net.representatives, pairs = net.heads * reps;
    const int head_dim = d / net.heads, rows = states * reps;
    const AttentionShape shape{m, d, net.heads, reps, reps * d};
    const float *asking = normalised(net, rows, r, at.seen_representatives);
    const float *seen = normalised(net, states * m, h, at.seen);
    multiply_plain<Write::Set>(rows, d, d, asking, d, w.query_t, d, at.projected, d);
    fold(net, states, at.projected, w.key, at.folded);
    for (int s = 0; s < states; ++s) {
        const float *nodes = seen + static_cast<std::ptrdiff_t>(s) * m * d;
        aggregate_nodes(shape, at.folded + static_cast<std::ptrdiff_t>(s) * pairs * d, nodes,
                        nullptr, at.scratch, at.scores, at.mixed);
        for (int head = 0; head < net.heads; ++head)
            multiply_plain<Write::Set>(reps, head_dim, d, at.mixed + head * reps * d, d,
                                       w.value_t + head * head_dim, d,
                                       at.values + static_cast<std::ptrdiff_t>(s) * reps * d +
                                           head * head_dim,
                                       d);
    }
    multiply_plain<Write::Add>(rows, d, d, at.values, d, w.out_t, d, r, d);
    feed_forward(net, w, rows, r, at.hidden, at.tile);
}

// The attention part of H <- AttentionLayer(H, R), equation (broadcast).
void broadcast(const Network &net, const AttentionWeights &w, int states, int m, const float *r,
               float *h, const Parts &at) {
    const int d = net.dim, reps = net.representatives, pairs = net.heads * reps;
    const int head_dim = d / net.heads, rows = states * reps;
    const AttentionShape shape{m, d, net.heads, reps, reps * d};
    const float *known = normalised(net, rows, r, at.seen_representatives);
    const float *seen = normalised(net, states * m, h, at.seen);
    multiply_plain<Write::Set>(rows, d, d, known, d, w.key_t, d, at.projected, d);
    fold(net, states, at.projected, w.query, at.folded);
    multiply_plain<Write::Set>(rows, d, d, known, d, w.value_t, d, at.values, d);
    for (int s = 0; s < states; ++s) {
        float *nodes = h + static_cast<std::ptrdiff_t>(s) * m * d;
        for (int head = 0; head < net.heads; ++head)
            multiply_plain<Write::Set>(reps, d, head_dim,
                                       at.values + static_cast<std::ptrdiff_t>(s) * reps * d +
                                           head * head_dim,
                                       d,
                                       w.out_t + static_cast<std::ptrdiff_t>(head) * head_dim * d,
                                       d, at.folded_values + head * reps * d, d);
        broadcast_to_nodes(shape, at.folded + static_cast<std::ptrdiff_t>(s) * pairs * d,
                           at.folded_values, seen + static_cast<std::ptrdiff_t>(s) * m * d,
                           at.scratch, at.scores, nodes);
    }
}

// Computes logits directly from the last hidden layer, because nothing else reads its output.
void score(const Network &net, const AttentionWeights &w, const NetworkInput &in, const float *h,
           float *hidden, float *tile, float *logits) {
    const int d = net.dim, wide = net.feed_forward, m = net.representatives + in.count;
    float scored[hidden_rows * 8];
    for (int s = 0; s < in.states; ++s)
        for (int first = 0; first < in.count; first += hidden_rows) {
            const int rows = in.count - first < hidden_rows ? in.count - first : hidden_rows;
            const float *nodes =
                h + (static_cast<std::ptrdiff_t>(s) * m + net.representatives + first) * d;
            widen(w, rows, normalised(net, rows, nodes, tile), hidden);
            multiply<Write::Set>(rows, 8, d, nodes, d, 1, net.score_t, 8, 8, scored, 8,
                                 net.score_bias);
            multiply<Write::Add>(rows, 8, wide, hidden, wide, 1, net.score_narrow_t, 8, 8, scored,
                                 8);
            for (int i = 0; i < rows; ++i)
                for (int action = 0; action < net.actions; ++action)
                    *logits++ = scored[8 * i + action];
        }
}

// out (d) = the linear encoder of one node's features.
void encode(const Network &net, const float *features, float *out) {
    for (int c = 0; c < net.dim; c += 8) {
        Vector sum = load(net.encoder_bias + c);
        for (int f = 0; f < net.features; ++f)
            sum += features[f] * load(net.encoder_t + f * net.dim + c);
        store(out + c, sum);
    }
}

// The representatives' first embeddings, equation (Representative), and H = [R, candidates].
void embed(const Network &net, const NetworkInput &in, int m, float *r, float *h, float *joined) {
    const int d = net.dim, reps = net.representatives, width = d + net.context;
    for (int s = 0; s < in.states; ++s) {
        float *own = r + static_cast<std::ptrdiff_t>(s) * reps * d;
        float *nodes = h + static_cast<std::ptrdiff_t>(s) * m * d;
        for (int which = 0; which < 2; ++which) {
            const bool end = which == 0;
            encode(net, (end ? in.destination : in.start) + s * net.features, joined);
            for (int c = 0; c < net.context; ++c) joined[d + c] = in.context[s * net.context + c];
            const int count = end ? 1 : reps - 1;
            multiply_plain<Write::Set>(1, count * d, width, joined, width,
                                       end ? net.from_destination_t : net.from_start_t, count * d,
                                       end ? own : own + d, count * d);
        }
        __builtin_memcpy(nodes, own, sizeof(float) * reps * d);
        for (int i = 0; i < in.count; ++i)
            encode(net, in.nodes + (static_cast<std::ptrdiff_t>(s) * in.count + i) * net.features,
                   nodes + static_cast<std::ptrdiff_t>(reps + i) * d);
    }
}

}  // namespace

const AttentionKernels attention_kernels = {
    [](const AttentionShape &shape, const float *queries, const float *nodes, const bool *valid,
       float *scratch, float *weights, float *mixed) {
        [[maybe_unused]] const FlushTiny flush;
        aggregate_nodes(shape, queries, nodes, valid, scratch, weights, mixed);
    },
    [](const AttentionShape &shape, const float *queries, const float *nodes, const float *weights,
       const float *to_mixed, float *scratch, float *to_queries, float *to_nodes) {
        [[maybe_unused]] const FlushTiny flush;
        aggregate_back(shape, queries, nodes, weights, to_mixed, scratch, to_queries, to_nodes);
    },
    [](const AttentionShape &shape, const float *nodes, const float *keys, const float *values,
       float *scratch, float *weights, float *out) {
        [[maybe_unused]] const FlushTiny flush;
        __builtin_memcpy(out, nodes, sizeof(float) * shape.nodes * shape.dim);
        broadcast_to_nodes(shape, keys, values, nodes, scratch, weights, out);
    },
    [](const AttentionShape &shape, const float *nodes, const float *keys, const float *values,
       const float *weights, const float *to_out, float *scratch, float *to_nodes, float *to_keys,
       float *to_values) {
        [[maybe_unused]] const FlushTiny flush;
        broadcast_back(shape, nodes, keys, values, weights, to_out, scratch, to_nodes, to_keys,
                       to_values);
    }};

void dense(const Packed &weights, const float *bias, int rows, const float *x, float *out,
           bool relu) {
    [[maybe_unused]] const FlushTiny flush;
    const int inputs = weights.inputs, outputs = weights.outputs;
    const auto product = relu ? multiply<Write::SetRelu> : multiply<Write::Set>;
    product(rows, outputs, inputs, x, inputs, 1, weights.data, 16, 16 * inputs, out, outputs, bias);
}

void forward(const Network &net, const NetworkInput &in, float *workspace, float *logits) {
    [[maybe_unused]] const FlushTiny flush;
    const WorkspaceLayout size(net, in.states, in.count);
    float *next = workspace;
    const auto take = [&next](std::size_t count) {
        float *mine = next;
        next += count;
        return mine;
    };
    float *r = take(size.representatives), *h = take(size.nodes);
    Parts at;
    at.projected = take(size.representatives);
    at.values = take(size.representatives);
    at.folded = take(size.folded);
    at.folded_values = take(size.pairs);
    at.scratch = take(size.scratch);
    at.scores = take(size.scores);
    at.mixed = take(size.pairs);
    at.joined = take(size.joined);
    at.hidden = take(size.hidden);
    at.seen = take(size.seen);
    at.seen_representatives = take(size.seen_representatives);
    at.tile = take(size.tile);

    const int m = net.representatives + in.count;
    embed(net, in, m, r, h, at.joined);
    for (int layer = 0; layer < net.layers; ++layer) {
        const Layer &w = net.layer[layer];
        aggregate(net, w.aggregate, in.states, m, r, h, at);
        broadcast(net, w.broadcast, in.states, m, r, h, at);
        if (layer + 1 < net.layers)
            feed_forward(net, w.broadcast, in.states * m, h, at.hidden, at.tile);
        else score(net, w.broadcast, in, h, at.hidden, at.tile, logits);
    }
}

}  // namespace sil::SIL_INSTRUCTION_SET
