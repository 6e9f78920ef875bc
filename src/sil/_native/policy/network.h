// The forward pass of the policy with folded attention, built once per instruction set.
//
// With r representatives and h heads, both attention layers need only r * h dot products per node
// (paper, section Linear Attention Model). In broadcast, the query weights are folded into the
// representatives' keys and the output weights into their values. In aggregate, the key weights are
// folded into their queries and the value weights into the results. Most of the work is then the
// feed-forward, which runs in tiles that stay in the cache.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sil {

// A matrix (inputs x outputs), divided into contiguous panels of 16 columns.
struct Packed {
    const float *data;
    int inputs, outputs;
};

// Converts a trained matrix (outputs x inputs), with a multiple of 16 outputs, to such panels.
std::vector<float> packed(const std::vector<float> &matrix, int inputs);

// One layer by itself: out (rows x outputs) = x (rows x inputs) times the weights, plus the bias;
// with `relu`, negative results become zero.
using Dense = void (*)(const Packed &weights, const float *bias, int rows, const float *x,
                       float *out, bool relu);

// The comments give the shapes (rows x columns) of plain row-major matrices.
struct AttentionWeights {
    const float *query, *key;                        // (d out x d in), as trained
    const float *query_t, *key_t, *value_t, *out_t;  // (d in x d out)
    Packed widen, narrow;
    const float *widen_bias, *narrow_bias;
};

struct Layer {
    AttentionWeights aggregate, broadcast;
};

struct Network {
    int dim, heads, feed_forward, representatives, layers, features, context, actions;
    bool normalised;  // whether rows are normalised before attention and before the feed-forward
    const float *encoder_t, *encoder_bias;  // (features x d)
    const float *from_destination_t;        // (d + context x d)
    const float *from_start_t;              // (d + context x (r - 1) d)
    // The second half of the last feed-forward and the scores, folded into one linear map:
    const float *score_t;         // (d x 8), the actions padded to a whole vector
    const float *score_narrow_t;  // (feed_forward x 8)
    const float *score_bias;      // (8)
    const Layer *layer;
};

// Features of `states` decoding states with `count` candidates each; see policy/state.h.
struct NetworkInput {
    int states, count;
    const float *nodes;        // (states, count, features)
    const float *start;        // (states, features)
    const float *destination;  // (states, features)
    const float *context;      // (states, context)
};

std::size_t workspace_size(const Network &net, int states, int count);

// Writes logits (states, count, actions). `workspace` has workspace_size() floats.
using Forward = void (*)(const Network &, const NetworkInput &, float *workspace, float *logits);

namespace avx512 {
void forward(const Network &, const NetworkInput &, float *workspace, float *logits);
void dense(const Packed &, const float *bias, int rows, const float *x, float *out, bool relu);
}  // namespace avx512
namespace avx2 {
void forward(const Network &, const NetworkInput &, float *workspace, float *logits);
void dense(const Packed &, const float *bias, int rows, const float *x, float *out, bool relu);
}  // namespace avx2
namespace portable {
void forward(const Network &, const NetworkInput &, float *workspace, float *logits);
void dense(const Packed &, const float *bias, int rows, const float *x, float *out, bool relu);
}  // namespace portable

// The builds that this processor can run, fastest first.
std::vector<std::string> instruction_sets();

// One of them by name.
Forward forward_for(const std::string &instruction_set);

// The fastest that this processor can run.
Dense best_dense();

}  // namespace sil
