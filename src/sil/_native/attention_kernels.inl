// The inner part of attention; see attention.h. Included once for each instruction set.

// transposed (dim x padded) = scale * rows (pairs x dim), transposed
inline void transpose(const AttentionShape &shape, const float *rows, float scale,
                      float *transposed) {
    const int d = shape.dim, pairs = pairs_of(shape), padded = padded_of(shape);
    for (int k = 0; k < d; ++k)
        for (int p = 0; p < padded; ++p)
            transposed[k * padded + p] = p < pairs ? rows[p * d + k] * scale : 0.0f;
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

// Softmax down each column of scores (nodes x padded) over the nodes that are there.
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

// Softmax over the representatives of each head, in each row of scores (nodes x padded).
inline void softmax_representatives(const AttentionShape &shape, float *scores) {
    const int r = shape.representatives, padded = padded_of(shape);
    for (int i = 0; i < shape.nodes; ++i) {
        float *row = scores + i * padded;
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

// From the gradients of the weights to those of the scores before the softmax, in place.
inline void softmax_nodes_back(const AttentionShape &shape, const float *weights, float *to_scores) {
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
    for (int i = 0; i < shape.nodes; ++i) {
        const float *weight = weights + i * padded;
        float *to = to_scores + i * padded;
        for (int head = 0; head < shape.heads; ++head, weight += r, to += r) {
            float sum = 0;
            for (int j = 0; j < r; ++j) sum += weight[j] * to[j];
            for (int j = 0; j < r; ++j) to[j] = weight[j] * (to[j] - sum) * scale;
        }
        for (int p = pairs_of(shape); p < padded; ++p) *to++ = 0;
    }
}

void aggregate_nodes(const AttentionShape &shape, const float *queries, const float *nodes,
                     const bool *valid, float *scratch, float *weights, float *mixed) {
    const int d = shape.dim;
    multiply_by_rows(shape, nodes, queries, score_scale(shape), scratch, weights);
    softmax_nodes(shape, valid, weights);
    multiply<Write::Set>(pairs_of(shape), d, shape.nodes, weights, 1, padded_of(shape), nodes, d, 16,
                         mixed, d);
}

void aggregate_back(const AttentionShape &shape, const float *queries, const float *nodes,
                    const float *weights, const float *to_mixed, float *scratch, float *to_queries,
                    float *to_nodes) {
    const int d = shape.dim, m = shape.nodes, pairs = pairs_of(shape), padded = padded_of(shape);
    float *to_scores = scratch + static_cast<std::ptrdiff_t>(d) * padded;
    multiply_by_rows(shape, nodes, to_mixed, 1, scratch, to_scores);
    softmax_nodes_back(shape, weights, to_scores);
    multiply<Write::Set>(pairs, d, m, to_scores, 1, padded, nodes, d, 16, to_queries, d);
    multiply_plain<Write::Set>(m, d, pairs, weights, padded, to_mixed, d, to_nodes, d);
    multiply_plain<Write::Add>(m, d, pairs, to_scores, padded, queries, d, to_nodes, d);
}

// The same as the kernel `broadcast`, but in place.
void broadcast_to_nodes(const AttentionShape &shape, const float *keys, const float *values,
                        float *scratch, float *weights, float *nodes) {
    const int d = shape.dim;
    multiply_by_rows(shape, nodes, keys, score_scale(shape), scratch, weights);
    softmax_representatives(shape, weights);
    multiply_plain<Write::Add>(shape.nodes, d, pairs_of(shape), weights, padded_of(shape), values, d,
                               nodes, d);
}

void broadcast_back(const AttentionShape &shape, const float *nodes, const float *keys,
                    const float *values, const float *weights, const float *to_out, float *scratch,
                    float *to_nodes, float *to_keys, float *to_values) {
    const int d = shape.dim, m = shape.nodes, pairs = pairs_of(shape), padded = padded_of(shape);
    float *to_scores = scratch + static_cast<std::ptrdiff_t>(d) * padded;
    multiply_by_rows(shape, to_out, values, 1, scratch, to_scores);
    multiply<Write::Set>(pairs, d, m, weights, 1, padded, to_out, d, 16, to_values, d);
    softmax_representatives_back(shape, weights, to_scores);
    __builtin_memcpy(to_nodes, to_out, sizeof(float) * m * d);
    multiply_plain<Write::Add>(m, d, pairs, to_scores, padded, keys, d, to_nodes, d);
    multiply<Write::Set>(pairs, d, m, to_scores, 1, padded, nodes, d, 16, to_keys, d);
}
