// Included by network_avx2.cpp and network_portable.cpp, each with its own flags and namespace.
// Uses nothing of the standard library, lest the linker share an AVX2 function with the rest.

namespace sil::SIL_INSTRUCTION_SET {
namespace {

typedef float Vector __attribute__((vector_size(32)));
typedef int IntVector __attribute__((vector_size(32)));

inline Vector load(const float *p) {
    Vector v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}

inline void store(float *p, Vector v) { __builtin_memcpy(p, &v, sizeof v); }

inline Vector all(float x) { return Vector{x, x, x, x, x, x, x, x}; }

inline Vector larger(Vector a, Vector b) { return a > b ? a : b; }

// e^x for x <= 0, to a few units in the last place: 2^n times a polynomial on [-ln2/2, ln2/2].
inline Vector exp_of_negative(Vector x) {
    x = larger(x, all(-87.0f));
    const Vector shifted = x * 1.44269504f + 12582912.0f;  // rounds to a whole number
    const Vector n = shifted - 12582912.0f;
    Vector f = x - n * 0.693359375f;
    f = f + n * 2.12194440e-4f;
    Vector p = all(1.9875691500e-4f);
    p = p * f + 1.3981999507e-3f;
    p = p * f + 8.3334519073e-3f;
    p = p * f + 4.1665795894e-2f;
    p = p * f + 1.6666665459e-1f;
    p = p * f + 5.0000001201e-1f;
    p = p * f * f + f + 1.0f;
    const IntVector exponent = (__builtin_convertvector(n, IntVector) + 127) << 23;
    Vector power;
    __builtin_memcpy(&power, &exponent, sizeof power);
    return p * power;
}

enum class Write { Set, SetRelu, Add };

// One tile: ROWS rows of A (element (i, k) at a[i * row + k * step]) times NV * 8 columns of B.
template <int ROWS, int NV, Write WRITE>
inline void tile(int depth, const float *a, std::ptrdiff_t row, std::ptrdiff_t step, const float *b,
                 std::ptrdiff_t ldb, float *c, std::ptrdiff_t ldc, const float *bias) {
    Vector sum[ROWS][NV];
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < NV; ++j) sum[i][j] = bias ? load(bias + 8 * j) : all(0);
    for (int k = 0; k < depth; ++k) {
        Vector right[NV];
        for (int j = 0; j < NV; ++j) right[j] = load(b + k * ldb + 8 * j);
        for (int i = 0; i < ROWS; ++i) {
            const Vector left = all(a[i * row + k * step]);
            for (int j = 0; j < NV; ++j) sum[i][j] += left * right[j];
        }
    }
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < NV; ++j) {
            float *out = c + i * ldc + 8 * j;
            if (WRITE == Write::SetRelu) store(out, larger(sum[i][j], all(0)));
            else if (WRITE == Write::Add) store(out, load(out) + sum[i][j]);
            else store(out, sum[i][j]);
        }
}

template <int NV, Write WRITE>
void columns(int rows, int depth, const float *a, std::ptrdiff_t row, std::ptrdiff_t step,
             const float *b, std::ptrdiff_t ldb, float *c, std::ptrdiff_t ldc, const float *bias) {
    int i = 0;
    for (; i + 6 <= rows; i += 6)
        tile<6, NV, WRITE>(depth, a + i * row, row, step, b, ldb, c + i * ldc, ldc, bias);
    const float *rest = a + i * row;
    float *out = c + i * ldc;
    switch (rows - i) {
    case 5: tile<5, NV, WRITE>(depth, rest, row, step, b, ldb, out, ldc, bias); break;
    case 4: tile<4, NV, WRITE>(depth, rest, row, step, b, ldb, out, ldc, bias); break;
    case 3: tile<3, NV, WRITE>(depth, rest, row, step, b, ldb, out, ldc, bias); break;
    case 2: tile<2, NV, WRITE>(depth, rest, row, step, b, ldb, out, ldc, bias); break;
    case 1: tile<1, NV, WRITE>(depth, rest, row, step, b, ldb, out, ldc, bias); break;
    default: break;
    }
}

// C (rows x width) = A B, width a multiple of 8. Columns p * 16 ... of B begin at b + p * panel.
template <Write WRITE>
void multiply(int rows, int width, int depth, const float *a, std::ptrdiff_t row,
              std::ptrdiff_t step, const float *b, std::ptrdiff_t ldb, std::ptrdiff_t panel,
              float *c, std::ptrdiff_t ldc, const float *bias = nullptr) {
    for (int j = 0; j < width; j += 16) {
        const float *right = b + (j / 16) * panel;
        const float *start = bias ? bias + j : nullptr;
        if (j + 16 <= width)
            columns<2, WRITE>(rows, depth, a, row, step, right, ldb, c + j, ldc, start);
        else columns<1, WRITE>(rows, depth, a, row, step, right, ldb, c + j, ldc, start);
    }
}

// The same with B (depth x ...) plain and row-major, its rows `ldb` apart.
template <Write WRITE>
void multiply_plain(int rows, int width, int depth, const float *a, std::ptrdiff_t row,
                    const float *b, std::ptrdiff_t ldb, float *c, std::ptrdiff_t ldc) {
    multiply<WRITE>(rows, width, depth, a, row, 1, b, ldb, 16, c, ldc);
}

// hidden = relu(widen(x))
void widen(const AttentionWeights &w, int rows, const float *x, float *hidden) {
    const int dim = w.widen.inputs, wide = w.widen.outputs;
    multiply<Write::SetRelu>(rows, wide, dim, x, dim, 1, w.widen.data, 16, 16 * dim, hidden, wide,
                             w.widen_bias);
}

// x += narrow(relu(widen(x))), a tile of rows at a time so that the hidden layer stays cached.
void feed_forward(const AttentionWeights &w, int rows, float *x, float *hidden) {
    constexpr int depth_tile = 256;
    const int dim = w.widen.inputs, wide = w.widen.outputs;
    for (int first = 0; first < rows; first += hidden_rows) {
        const int count = rows - first < hidden_rows ? rows - first : hidden_rows;
        float *part = x + static_cast<std::ptrdiff_t>(first) * dim;
        widen(w, count, part, hidden);
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
            multiply_plain<Write::Set>(r, d, head_dim,
                                       projected + static_cast<std::ptrdiff_t>(s) * r * d +
                                           head * head_dim,
                                       d, weights + static_cast<std::ptrdiff_t>(head) * head_dim * d,
                                       d, folded + (static_cast<std::ptrdiff_t>(s) * net.heads + head) * r * d,
                                       d);
}

// scores (m x padded) = h (m x d) times the transpose of folded (pairs x d), scaled.
void score_nodes(const Network &net, int m, const float *h, const float *folded, int padded,
                 float *transposed, float *scores) {
    const int d = net.dim, pairs = net.heads * net.representatives;
    const float scale = 1.0f / __builtin_sqrtf(static_cast<float>(d / net.heads));
    for (int k = 0; k < d; ++k)
        for (int p = 0; p < padded; ++p)
            transposed[k * padded + p] = p < pairs ? folded[p * d + k] * scale : 0.0f;
    multiply_plain<Write::Set>(m, padded, d, h, d, transposed, padded, scores, padded);
}

// Softmax down each column of scores (m x padded).
void softmax_columns(int m, int padded, float *scores) {
    for (int p = 0; p < padded; p += 8) {
        Vector most = load(scores + p);
        for (int i = 1; i < m; ++i) most = larger(most, load(scores + i * padded + p));
        Vector sum = all(0);
        for (int i = 0; i < m; ++i) {
            const Vector e = exp_of_negative(load(scores + i * padded + p) - most);
            store(scores + i * padded + p, e);
            sum += e;
        }
        const Vector inverse = 1.0f / sum;
        for (int i = 0; i < m; ++i)
            store(scores + i * padded + p, load(scores + i * padded + p) * inverse);
    }
}

// Softmax over the r representatives of each head, in each row of scores (m x padded).
void softmax_representatives(const Network &net, int m, int padded, float *scores) {
    const int r = net.representatives;
    for (int i = 0; i < m; ++i) {
        float *row = scores + i * padded;
        for (int head = 0; head < net.heads; ++head) {
            float most = row[head * r];
            for (int j = 1; j < r; ++j)
                if (row[head * r + j] > most) most = row[head * r + j];
            for (int j = 0; j < r; ++j) row[head * r + j] -= most;
        }
        for (int p = 0; p < padded; p += 8) store(row + p, exp_of_negative(load(row + p)));
        for (int head = 0; head < net.heads; ++head) {
            float sum = 0;
            for (int j = 0; j < r; ++j) sum += row[head * r + j];
            for (int j = 0; j < r; ++j) row[head * r + j] /= sum;
        }
    }
}

struct Scratch {
    float *projected, *values, *folded, *folded_values, *transposed, *scores, *mixed, *joined,
        *hidden;
};

// R <- AttentionLayer(R, H), equation (aggregate).
void aggregate(const Network &net, const AttentionWeights &w, int states, int m, int padded,
               float *r, const float *h, const Scratch &at) {
    const int d = net.dim, reps = net.representatives, pairs = net.heads * reps;
    const int head_dim = d / net.heads, rows = states * reps;
    multiply_plain<Write::Set>(rows, d, d, r, d, w.query_t, d, at.projected, d);
    fold(net, states, at.projected, w.key, at.folded);
    for (int s = 0; s < states; ++s) {
        const float *nodes = h + static_cast<std::ptrdiff_t>(s) * m * d;
        score_nodes(net, m, nodes, at.folded + static_cast<std::ptrdiff_t>(s) * pairs * d, padded,
                    at.transposed, at.scores);
        softmax_columns(m, padded, at.scores);
        // mixed (pairs x d) = scores^T h
        multiply<Write::Set>(pairs, d, m, at.scores, 1, padded, nodes, d, 16, at.mixed, d);
        for (int head = 0; head < net.heads; ++head)
            multiply_plain<Write::Set>(reps, head_dim, d, at.mixed + head * reps * d, d,
                                       w.value_t + head * head_dim, d,
                                       at.values + static_cast<std::ptrdiff_t>(s) * reps * d +
                                           head * head_dim,
                                       d);
    }
    multiply_plain<Write::Add>(rows, d, d, at.values, d, w.out_t, d, r, d);
    feed_forward(w, rows, r, at.hidden);
}

// The attention half of H <- AttentionLayer(H, R), equation (broadcast).
void broadcast(const Network &net, const AttentionWeights &w, int states, int m, int padded,
               const float *r, float *h, const Scratch &at) {
    const int d = net.dim, reps = net.representatives, pairs = net.heads * reps;
    const int head_dim = d / net.heads, rows = states * reps;
    multiply_plain<Write::Set>(rows, d, d, r, d, w.key_t, d, at.projected, d);
    fold(net, states, at.projected, w.query, at.folded);
    multiply_plain<Write::Set>(rows, d, d, r, d, w.value_t, d, at.values, d);
    for (int s = 0; s < states; ++s) {
        float *nodes = h + static_cast<std::ptrdiff_t>(s) * m * d;
        for (int head = 0; head < net.heads; ++head)
            multiply_plain<Write::Set>(reps, d, head_dim,
                                       at.values + static_cast<std::ptrdiff_t>(s) * reps * d +
                                           head * head_dim,
                                       d, w.out_t + static_cast<std::ptrdiff_t>(head) * head_dim * d,
                                       d, at.folded_values + head * reps * d, d);
        score_nodes(net, m, nodes, at.folded + static_cast<std::ptrdiff_t>(s) * pairs * d, padded,
                    at.transposed, at.scores);
        softmax_representatives(net, m, padded, at.scores);
        multiply_plain<Write::Add>(m, d, pairs, at.scores, padded, at.folded_values, d, nodes, d);
    }
}

// Logits straight from the last layer's hidden units: nothing else reads its output.
void score(const Network &net, const AttentionWeights &w, const NetworkInput &in, const float *h,
           float *hidden, float *logits) {
    const int d = net.dim, wide = net.feed_forward, m = net.representatives + in.count;
    float scored[hidden_rows * 8];
    for (int s = 0; s < in.states; ++s)
        for (int first = 0; first < in.count; first += hidden_rows) {
            const int rows = in.count - first < hidden_rows ? in.count - first : hidden_rows;
            const float *nodes =
                h + (static_cast<std::ptrdiff_t>(s) * m + net.representatives + first) * d;
            widen(w, rows, nodes, hidden);
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

void forward(const Network &net, const NetworkInput &in, float *workspace, float *logits) {
    const WorkspaceLayout size(net, in.states, in.count);
    float *next = workspace;
    const auto take = [&next](std::size_t count) {
        float *mine = next;
        next += count;
        return mine;
    };
    float *r = take(size.representatives), *h = take(size.nodes);
    Scratch at;
    at.projected = take(size.representatives);
    at.values = take(size.representatives);
    at.folded = take(size.folded);
    at.folded_values = take(size.pairs);
    at.transposed = take(size.transposed);
    at.scores = take(size.scores);
    at.mixed = take(size.pairs);
    at.joined = take(size.joined);
    at.hidden = take(size.hidden);

    const int m = net.representatives + in.count;
    embed(net, in, m, r, h, at.joined);
    for (int layer = 0; layer < net.layers; ++layer) {
        const Layer &w = net.layer[layer];
        aggregate(net, w.aggregate, in.states, m, size.padded, r, h, at);
        broadcast(net, w.broadcast, in.states, m, size.padded, r, h, at);
        if (layer + 1 < net.layers) feed_forward(w.broadcast, in.states * m, h, at.hidden);
        else score(net, w.broadcast, in, h, at.hidden, logits);
    }
}

}  // namespace sil::SIL_INSTRUCTION_SET
