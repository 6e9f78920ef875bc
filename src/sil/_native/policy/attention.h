// Attention between a few representatives and the many nodes of one state, with folded weights.
//
// Folding (see network.h) gives `pairs` rows as wide as a node, one per head and representative.
// The rows of one head are contiguous; those of the next begin `head_stride` later. The network
// uses the forward pass, training also the backward pass (policy/attention.py).
#pragma once

#include <cstddef>

namespace sil {

struct AttentionShape {
    int nodes, dim, heads, representatives;
    std::ptrdiff_t head_stride;  // in floats, from the rows of one head to those of the next
};

namespace {  // a copy per instruction set: the linker must not merge them

inline int pairs_of(const AttentionShape &shape) { return shape.heads * shape.representatives; }

// The number of pairs, rounded up to whole vectors.
inline int padded_of(const AttentionShape &shape) { return (pairs_of(shape) + 7) / 8 * 8; }

inline std::size_t scratch_of(const AttentionShape &shape) {
    return static_cast<std::size_t>(shape.dim + shape.nodes) * padded_of(shape) +
           3 * static_cast<std::size_t>(pairs_of(shape)) * shape.dim;
}

}  // namespace

// Arrays of one state: nodes, out (nodes, dim); queries, keys, values, mixed (pairs, dim);
// weights (nodes, padded); valid (nodes): which of the nodes exist, or null for all.
// `to_x` is the gradient of x; `scratch` has scratch_of() floats.
struct AttentionKernels {
    // mixed = softmax over the nodes of (queries nodes^T / sqrt(dim / heads)), times nodes
    void (*aggregate)(const AttentionShape &, const float *queries, const float *nodes,
                      const bool *valid, float *scratch, float *weights, float *mixed);
    void (*aggregate_back)(const AttentionShape &, const float *queries, const float *nodes,
                           const float *weights, const float *to_mixed, float *scratch,
                           float *to_queries, float *to_nodes);
    // out = nodes + softmax over each head's representatives of the same scores, times values
    void (*broadcast)(const AttentionShape &, const float *nodes, const float *keys,
                      const float *values, float *scratch, float *weights, float *out);
    void (*broadcast_back)(const AttentionShape &, const float *nodes, const float *keys,
                           const float *values, const float *weights, const float *to_out,
                           float *scratch, float *to_nodes, float *to_keys, float *to_values);
};

namespace avx512 {
extern const AttentionKernels attention_kernels;
}
namespace avx2 {
extern const AttentionKernels attention_kernels;
}
namespace portable {
extern const AttentionKernels attention_kernels;
}

// The fastest build that this processor can run.
const AttentionKernels &best_attention_kernels();

}  // namespace sil
