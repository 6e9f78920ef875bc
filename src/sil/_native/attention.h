// Attention between a few representatives and the many nodes of one state, with folded weights.
//
// Folded as network.h says, the representatives are `pairs` rows, head by head, as wide as the
// nodes. The network uses this forwards; training uses it backwards as well (policy/attention.py).
#pragma once

#include <cstddef>

namespace sil {

struct AttentionShape {
    int nodes, dim, heads, representatives;
};

namespace {  // a copy for each instruction set: the linker must not share them

inline int pairs_of(const AttentionShape &shape) { return shape.heads * shape.representatives; }

// The pairs, rounded up to whole vectors.
inline int padded_of(const AttentionShape &shape) { return (pairs_of(shape) + 7) / 8 * 8; }

}  // namespace

// Arrays of one state: nodes, out (nodes, dim); queries, keys, values, mixed (pairs, dim);
// weights (nodes, padded); valid (nodes), which of the nodes are there, or null for all.
// `to_...` are gradients of what they name; `scratch` holds (dim + nodes) *
// padded floats.
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

namespace avx2 {
extern const AttentionKernels attention_kernels;
}
namespace portable {
extern const AttentionKernels attention_kernels;
}

// The fastest build that this processor runs.
const AttentionKernels &best_attention_kernels();

}  // namespace sil
