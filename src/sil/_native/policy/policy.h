// The policy engine: weights prepared for the forward pass.
#pragma once

#include <list>
#include <string>
#include <unordered_map>
#include <vector>

#include "policy/network.h"

namespace sil {

enum class Frame { Instance, Segment, Step };

struct PolicyShape {
    int dim, layers, heads, feed_forward, representatives, features, context, actions;
    int candidates;  // 0 for all
    int neighbours;  // of each candidate, in its features
    Frame frame;
    double reach;  // of the step frame, relative to the distance of the farthest candidate
    bool normalised;
};

class Policy {
  public:
    // `weights` has the names and layouts of the PyTorch model; see weights.py.
    Policy(const PolicyShape &shape,
           const std::unordered_map<std::string, std::vector<float>> &weights,
           const std::string &instruction_set);

    Policy(const Policy &) = delete;  // the network points into the storage
    Policy &operator=(const Policy &) = delete;

    const PolicyShape &shape() const { return shape_; }

    // Logits (states, count, actions) for features as described in network.h.
    void logits(const NetworkInput &input, std::vector<float> &workspace, float *logits) const;

  private:
    const float *keep(std::vector<float> values);
    void fold_score(const std::unordered_map<std::string, std::vector<float>> &weights,
                    const std::string &prefix);
    AttentionWeights attention(const std::unordered_map<std::string, std::vector<float>> &weights,
                               const std::string &prefix);

    PolicyShape shape_;
    std::list<std::vector<float>> storage_;
    std::vector<Layer> layers_;
    Network network_;
    Forward forward_;
};

}  // namespace sil
