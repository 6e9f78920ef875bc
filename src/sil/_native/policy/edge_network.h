// The edge network: says which candidates of a node are likely to be beside it in a good solution.
//
// It learns where to search, not what to build: the search then looks at the likely edges only. It
// sees the candidates of one node at a time, so its work is linear and a node takes about a
// microsecond.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/candidates.h"
#include "policy/network.h"

namespace sil {

constexpr int edge_candidates = 16;  // of each node
constexpr int edge_features = 7;     // of each candidate
constexpr int edge_inputs = edge_candidates * edge_features;

// A network of three layers with a rectifier between them: one logit per candidate.
class EdgeNetwork {
  public:
    // A trained layer: weights (outputs x inputs) and bias (outputs).
    struct Layer {
        std::vector<float> weights, bias;
    };

    // Layers must match each other, the inputs and the candidates, with multiples of 16 outputs.
    explicit EdgeNetwork(const std::array<Layer, 3> &layers);

    // The likeliest candidates of each node, nearest first: those with a logit of at least `least`,
    // but no fewer than `fewest` and no more than `width`. A shorter list is filled with the node
    // itself. An edge is as likely as its two ends find it on average. Returns nullopt if
    // interrupted.
    std::optional<Neighbours> likeliest(const Instance &instance, const Candidates &candidates,
                                        std::size_t width, std::size_t fewest, float least,
                                        int threads, Interrupt &interrupt) const;

  private:
    // Writes logits (count x edge_candidates) for features (count x edge_inputs).
    void forward(int count, const float *features, std::vector<float> &workspace,
                 float *logits) const;

    struct Packing {
        std::vector<float> weights, bias;
        Packed matrix() const {
            const int outputs = static_cast<int>(bias.size());
            return {weights.data(), static_cast<int>(weights.size()) / outputs, outputs};
        }
    };
    std::array<Packing, 3> layers_;
    Dense dense_;
};

// How far apart nodes lie around each node: the mean distance to its nearest candidates.
std::vector<float> local_scales(const Instance &instance, const Candidates &candidates, int threads,
                                Interrupt &interrupt);

// Writes the features (edge_inputs) of a node's candidates, which do not change if the map is moved,
// turned, mirrored or scaled. The place of each candidate, with the nearest on the positive x axis
// and far ones compressed; its distance; how crowded it is there; the rank of the node among the
// candidates of the candidate; whether it lies around the node; and how many candidates are nearer
// to both, which makes an edge unlikely.
void write_edge_features(const Instance &instance, const Candidates &candidates,
                         const std::vector<float> &scales, int node, float *features);

}  // namespace sil
