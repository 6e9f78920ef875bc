// The attention kernels; see attention.h. Included once per instruction set.

// Transposes eight vectors by exchanging single lanes, then pairs, then halves.
inline void transpose_block(Vector (&v)[8]) {
    const IntVector low1 = {0, 8, 2, 10, 4, 12, 6, 14}, high1 = {1, 9, 3, 11, 5, 13, 7, 15};
    const IntVector low2 = {0, 1, 8, 9, 4, 5, 12, 13}, high2 = {2, 3, 10, 11, 6, 7, 14, 15};
    const IntVector low4 = {0, 1, 2, 3, 8, 9, 10, 11}, high4 = {4, 5, 6, 7, 12, 13, 14, 15};
    const auto exchange = [&v](int distance, IntVector low, IntVector high) {
        for (int i = 0; i < 8; ++i) {
            if (i & distance) continue;
            const Vector a = v[i], b = v[i + distance];
            v[i] = __builtin_shuffle(a, b, low);
            v[i + distance] = __builtin_shuffle(a, b, high);
        }
    };
    exchange(1, low1, high1);
    exchange(2, low2, high2);
    exchange(4, low4, high4);
}

// transposed (dim x padded) = scale * rows (pairs x dim), transposed
inline void transpose(const AttentionShape &shape, const float *rows, float scale,
                      float *transposed) {
    const int d = shape.dim, pairs = pairs_of(shape), padded = padded_of(shape);
    for (int p = 0; p < padded; p += 8)
        for (int k = 0; k < d; k += 8) {
            Vector block[8];
            for (int i = 0; i < 8; ++i)
                block[i] = p + i < pairs ? load(rows + (p + i) * d + k) * scale : all(0);
            transpose_block(block);
            for (int i = 0; i < 8; ++i) store(transposed + (k + i) * padded + p, block[i]);
        }
}

inline float score_scale(const AttentionShape &shape) {
    return 1.0f / __builtin_sqrtf(static_cast<float>(shape.dim / shape.heads));
}

// products (nodes x padded) = x (nodes x dim) times the transpose of rows (pairs x dim), scaled.
inline void multiply_by_rows(const AttentionShape &shape, const float *x, const float *rows,
                             float scale, float *transposed, float *products) {
    const int d = shape.dim, padded = padded_of(shape);
    transpose(shape, rows, scale, transposed);
    multiply_plain<Write::Set>(shape.nodes, padded, d, x, d, transposed, padded, products, padded);
}

// Softmax down each column of scores (nodes x padded), over the nodes that exist.
inline void softmax_nodes(const AttentionShape &shape, const bool *valid, float *scores) {
    const int m = shape.nodes, padded = padded_of(shape);
    const auto is_there = [valid](int i) { return !valid || valid[i]; };
    for (int p = 0; p < padded; p += 8) {
        Vector most = all(-1e30f);
        for (int i = 0; i < m; ++i)
            if (is_there(i)) most = larger(most, load(scores + i * padded + p));
        Vector sum = all(0);
        for (int i = 0; i < m; ++i) {
            Vector e = all(0);
            if (is_there(i)) e = exp_of_negative(load(scores + i * padded + p) - most);
            store(scores + i * padded + p, e);
            sum += e;
        }
        const Vector inverse = 1.0f / sum;
        for (int i = 0; i < m; ++i)
            store(scores + i * padded + p, load(scores + i * padded + p) * inverse);
    }
}

// Exchanges lanes that are `distance` (1, 2 or 4) apart.
inline Vector exchanged(Vector v, int distance) {
    const IntVector lane = {0, 1, 2, 3, 4, 5, 6, 7};
    return __builtin_shuffle(v, lane ^ distance);
}

// Whether all representatives of a head are in the same vector.
inline bool share_vectors(const AttentionShape &shape) {
    const int r = shape.representatives;
    return r == 1 || r == 2 || r == 4 || r == 8;
}

// The sum over the representatives of each head, in all of its lanes.
inline Vector sum_of_heads(const AttentionShape &shape, Vector v) {
    for (int step = 1; step < shape.representatives; step *= 2) v += exchanged(v, step);
    return v;
}

// Softmax over the representatives of each head, in each row of scores (nodes x padded).
inline void softmax_representatives(const AttentionShape &shape, float *scores) {
    const int r = shape.representatives, padded = padded_of(shape);
    const bool together = share_vectors(shape);
    for (int i = 0; i < shape.nodes; ++i) {
        float *row = scores + i * padded;
        if (together) {
            for (int p = 0; p < padded; p += 8) {
                const Vector score = load(row + p);
                Vector most = score;
                for (int step = 1; step < r; step *= 2) most = larger(most, exchanged(most, step));
                const Vector e = exp_of_negative(score - most);
                store(row + p, e / sum_of_heads(shape, e));
            }
            continue;
        }
        for (int head = 0; head < shape.heads; ++head) {
            float most = row[head * r];
            for (int j = 1; j < r; ++j)
                if (row[head * r + j] > most) most = row[head * r + j];
            for (int j = 0; j < r; ++j) row[head * r + j] -= most;
        }
        for (int p = 0; p < padded; p += 8) store(row + p, exp_of_negative(load(row + p)));
        for (int head = 0; head < shape.heads; ++head) {
            float sum = 0;
            for (int j = 0; j < r; ++j) sum += row[head * r + j];
            for (int j = 0; j < r; ++j) row[head * r + j] /= sum;
        }
    }
}

// Converts the gradients of the weights to those of the scores before the softmax, in place.
inline void softmax_nodes_back(const AttentionShape &shape, const float *weights,
                               float *to_scores) {
    const int padded = padded_of(shape);
    const float scale = score_scale(shape);
    for (int p = 0; p < padded; p += 8) {
        Vector sum = all(0);
        for (int i = 0; i < shape.nodes; ++i)
            sum += load(weights + i * padded + p) * load(to_scores + i * padded + p);
        for (int i = 0; i < shape.nodes; ++i) {
            float *at = to_scores + i * padded + p;
            store(at, load(weights + i * padded + p) * (load(at) - sum) * scale);
        }
    }
}

inline void softmax_representatives_back(const AttentionShape &shape, const float *weights,
                                         float *to_scores) {
    const int r = shape.representatives, padded = padded_of(shape);
    const float scale = score_scale(shape);
    const bool together = share_vectors(shape);
    for (int i = 0; i < shape.nodes; ++i) {
        const float *weight = weights + i * padded;
        float *to = to_scores + i * padded;
        if (together) {
            for (int p = 0; p < padded; p += 8) {
                const Vector w = load(weight + p), gradient = load(to + p);
                store(to + p, w * (gradient - sum_of_heads(shape, w * gradient)) * scale);
            }
            continue;
        }
        for (int head = 0; head < shape.heads; ++head, weight += r, to += r) {
            float sum = 0;
            for (int j = 0; j < r; ++j) sum += weight[j] * to[j];
            for (int j = 0; j < r; ++j) to[j] = weight[j] * (to[j] - sum) * scale;
        }
        for (int p = pairs_of(shape); p < padded; ++p) *to++ = 0;
    }
}

// Divides the scratch_of() floats.
struct Scratch {
    Scratch(const AttentionShape &shape, float *from)
        : transposed(from), scores(transposed + shape.dim * padded_of(shape)),
          rows{scores + shape.nodes * padded_of(shape)} {
        rows[1] = rows[0] + pairs_of(shape) * shape.dim;
        rows[2] = rows[1] + pairs_of(shape) * shape.dim;
    }

    float *transposed, *scores, *rows[3];
};

inline bool is_dense(const AttentionShape &shape) {
    return shape.head_stride == shape.representatives * shape.dim;
}

// The rows of all heads, contiguous; copied if necessary.
inline const float *gathered(const AttentionShape &shape, const float *rows, float *copy) {
    if (is_dense(shape)) return rows;
    const int size = shape.representatives * shape.dim;
    for (int head = 0; head < shape.heads; ++head)
        __builtin_memcpy(copy + head * size, rows + head * shape.head_stride, sizeof(float) * size);
    return copy;
}

// rows (pairs x dim) = the transpose of weights (nodes x padded) times x (nodes x dim)
inline void mix(const AttentionShape &shape, const float *weights, const float *x, float *dense,
                float *rows) {
    const int d = shape.dim, size = shape.representatives * d;
    float *to = is_dense(shape) ? rows : dense;
    multiply<Write::Set>(pairs_of(shape), d, shape.nodes, weights, 1, padded_of(shape), x, d, 16,
                         to, d);
    if (is_dense(shape)) return;
    for (int head = 0; head < shape.heads; ++head)
        __builtin_memcpy(rows + head * shape.head_stride, dense + head * size,
                         sizeof(float) * size);
}

// x (nodes x dim) = or += weights (nodes x padded) times rows (pairs x dim)
template <Write WRITE>
inline void spread(const AttentionShape &shape, const float *weights, const float *rows, float *x) {
    multiply_plain<WRITE>(shape.nodes, shape.dim, pairs_of(shape), weights, padded_of(shape), rows,
                          shape.dim, x, shape.dim);
}

void aggregate_nodes(const AttentionShape &shape, const float *queries, const float *nodes,
                     const bool *valid, float *scratch, float *weights, float *mixed) {
    const Scratch at(shape, scratch);
    queries = gathered(shape, queries, at.rows[0]);
    multiply_by_rows(shape, nodes, queries, score_scale(shape), at.transposed, weights);
    softmax_nodes(shape, valid, weights);
    mix(shape, weights, nodes, at.rows[0], mixed);
}

void aggregate_back(const AttentionShape &shape, const float *queries, const float *nodes,
                    const float *weights, const float *to_mixed, float *scratch, float *to_queries,
                    float *to_nodes) {
    const Scratch at(shape, scratch);
    queries = gathered(shape, queries, at.rows[0]);
    to_mixed = gathered(shape, to_mixed, at.rows[1]);
    multiply_by_rows(shape, nodes, to_mixed, 1, at.transposed, at.scores);
    softmax_nodes_back(shape, weights, at.scores);
    mix(shape, at.scores, nodes, at.rows[2], to_queries);
    spread<Write::Set>(shape, weights, to_mixed, to_nodes);
    spread<Write::Add>(shape, at.scores, queries, to_nodes);
}

// The same as the kernel `broadcast`, but in place.
void broadcast_to_nodes(const AttentionShape &shape, const float *keys, const float *values,
                        const float *seen, float *scratch, float *weights, float *nodes) {
    const Scratch at(shape, scratch);
    keys = gathered(shape, keys, at.rows[0]);
    values = gathered(shape, values, at.rows[1]);
    multiply_by_rows(shape, seen, keys, score_scale(shape), at.transposed, weights);
    softmax_representatives(shape, weights);
    spread<Write::Add>(shape, weights, values, nodes);
}

void broadcast_back(const AttentionShape &shape, const float *nodes, const float *keys,
                    const float *values, const float *weights, const float *to_out, float *scratch,
                    float *to_nodes, float *to_keys, float *to_values) {
    const Scratch at(shape, scratch);
    keys = gathered(shape, keys, at.rows[0]);
    values = gathered(shape, values, at.rows[1]);
    multiply_by_rows(shape, to_out, values, 1, at.transposed, at.scores);
    mix(shape, weights, to_out, at.rows[2], to_values);
    softmax_representatives_back(shape, weights, at.scores);
    __builtin_memcpy(to_nodes, to_out, sizeof(float) * shape.nodes * shape.dim);
    spread<Write::Add>(shape, at.scores, keys, to_nodes);
    mix(shape, at.scores, nodes, at.rows[2], to_keys);
}
