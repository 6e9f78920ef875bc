// Attention between a few representatives and the many nodes of one state, with folded weights.
//
// Folded as network.h says, the representatives are `pairs` rows, head by head, as wide as the
// nodes; those of one head lie together, those of the next `head_stride` further. The network uses this forwards; training uses it backwards as well (policy/attention.py).
#pragma once

#include <cstddef>

namespace sil {

struct AttentionShape {
    int nodes, dim, heads, representatives;
    std::ptrdiff_t head_stride;  // floats from the rows of one head to those of the next
};

namespace {  // a copy for each instruction set: the linker must not share them

inline int pairs_of(const AttentionShape &shape) { return shape.heads * shape.representatives; }

// The pairs, rounded up to whole vectors.
inline int padded_of(const AttentionShape &shape) { return (pairs_of(shape) + 7) / 8 * 8; }

inline std::size_t scratch_of(const AttentionShape &shape) {
    return static_cast<std::size_t>(shape.dim + shape.nodes) * padded_of(shape) +
           3 * static_cast<std::size_t>(pairs_of(shape)) * shape.dim;
}

}  // namespace

// Arrays of one state: nodes, out (nodes, dim); queries, keys, values, mixed (pairs, dim);
// weights (nodes, padded); valid (nodes), which of the nodes are there, or null for all.
// `to_...` are gradients of what they name; `scratch` holds scratch_of() floats.
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

// The fastest build that this processor runs.
const AttentionKernels &best_attention_kernels();

}  // namespace sil
