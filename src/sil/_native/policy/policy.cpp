#include "policy/policy.h"

#include <stdexcept>

namespace sil {
namespace {

// Transposes (rows x columns) to (columns x rows).
std::vector<float> transposed(const std::vector<float> &matrix, int columns) {
    const std::size_t rows = matrix.size() / columns;
    std::vector<float> result(matrix.size());
    for (std::size_t i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) result[j * rows + i] = matrix[i * columns + j];
    return result;
}

// Transposes (actions x n) to (n x 8), so that the actions fill a whole vector.
std::vector<float> padded_actions(const std::vector<float> &matrix, int actions) {
    const std::size_t size = matrix.size() / actions;
    std::vector<float> result(8 * size, 0.0f);
    for (int action = 0; action < actions; ++action)
        for (std::size_t i = 0; i < size; ++i) result[8 * i + action] = matrix[action * size + i];
    return result;
}

// All weights must exist and have the sizes that the shape requires.
void require_sizes(const PolicyShape &shape,
                   const std::unordered_map<std::string, std::vector<float>> &weights) {
    const auto require = [&](const std::string &name, std::size_t size) {
        const auto found = weights.find(name);
        if (found == weights.end()) throw std::invalid_argument("missing weights: " + name);
        if (found->second.size() != size)
            throw std::invalid_argument(name + " has " + std::to_string(found->second.size()) +
                                        " numbers, but the shape of the policy requires " +
                                        std::to_string(size));
    };
    const std::size_t d = shape.dim, wide = shape.feed_forward, joined = d + shape.context;
    require("encoder.weight", d * shape.features);
    require("encoder.bias", d);
    require("from_destination.weight", d * joined);
    require("from_start.weight", (shape.representatives - 1) * d * joined);
    require("score.weight", shape.actions * d);
    for (int layer = 0; layer < shape.layers; ++layer)
        for (const char *half : {".aggregate", ".broadcast"}) {
            const std::string prefix = "modules_." + std::to_string(layer) + half;
            for (const char *matrix : {"query", "key", "value", "out"})
                require(prefix + ".attention." + matrix + ".weight", d * d);
            require(prefix + ".widen.weight", wide * d);
            require(prefix + ".widen.bias", wide);
            require(prefix + ".narrow.weight", d * wide);
            require(prefix + ".narrow.bias", d);
        }
}

}  // namespace

Policy::Policy(const PolicyShape &shape,
               const std::unordered_map<std::string, std::vector<float>> &weights,
               const std::string &instruction_set)
    : shape_(shape), forward_(forward_for(instruction_set)) {
    require_sizes(shape, weights);
    const int joined = shape.dim + shape.context;
    for (int layer = 0; layer < shape.layers; ++layer) {
        const std::string prefix = "modules_." + std::to_string(layer);
        layers_.push_back(
            {attention(weights, prefix + ".aggregate"), attention(weights, prefix + ".broadcast")});
    }
    network_ = {shape.dim,
                shape.heads,
                shape.feed_forward,
                shape.representatives,
                shape.layers,
                shape.features,
                shape.context,
                shape.actions,
                shape.normalised,
                keep(transposed(weights.at("encoder.weight"), shape.features)),
                keep(weights.at("encoder.bias")),
                keep(transposed(weights.at("from_destination.weight"), joined)),
                keep(transposed(weights.at("from_start.weight"), joined)),
                keep(padded_actions(weights.at("score.weight"), shape.actions)),
                nullptr,
                nullptr,
                layers_.data()};
    fold_score(weights, "modules_." + std::to_string(shape.layers - 1) + ".broadcast");
}

// Folds the score matrix into the last layer's second feed-forward matrix and bias.
void Policy::fold_score(const std::unordered_map<std::string, std::vector<float>> &weights,
                        const std::string &prefix) {
    const std::vector<float> &score = weights.at("score.weight");              // (actions x d)
    const std::vector<float> &narrow = weights.at(prefix + ".narrow.weight");  // (d x ff)
    const std::vector<float> &bias = weights.at(prefix + ".narrow.bias");
    std::vector<float> through(static_cast<std::size_t>(shape_.actions) * shape_.feed_forward);
    std::vector<float> constant(8, 0.0f);
    for (int action = 0; action < shape_.actions; ++action) {
        double offset = 0;
        for (int i = 0; i < shape_.dim; ++i)
            offset += static_cast<double>(score[action * shape_.dim + i]) * bias[i];
        constant[action] = static_cast<float>(offset);
        for (int k = 0; k < shape_.feed_forward; ++k) {
            double sum = 0;
            for (int i = 0; i < shape_.dim; ++i)
                sum += static_cast<double>(score[action * shape_.dim + i]) *
                       narrow[static_cast<std::size_t>(i) * shape_.feed_forward + k];
            through[static_cast<std::size_t>(action) * shape_.feed_forward + k] =
                static_cast<float>(sum);
        }
    }
    network_.score_narrow_t = keep(padded_actions(through, shape_.actions));
    network_.score_bias = keep(constant);
}

const float *Policy::keep(std::vector<float> values) {
    storage_.push_back(std::move(values));
    return storage_.back().data();
}

AttentionWeights
Policy::attention(const std::unordered_map<std::string, std::vector<float>> &weights,
                  const std::string &prefix) {
    const auto get = [&](const std::string &name) { return weights.at(prefix + name); };
    const int d = shape_.dim, wide = shape_.feed_forward;
    AttentionWeights w;
    w.query = keep(get(".attention.query.weight"));
    w.key = keep(get(".attention.key.weight"));
    w.query_t = keep(transposed(get(".attention.query.weight"), d));
    w.key_t = keep(transposed(get(".attention.key.weight"), d));
    w.value_t = keep(transposed(get(".attention.value.weight"), d));
    w.out_t = keep(transposed(get(".attention.out.weight"), d));
    w.widen = {keep(packed(get(".widen.weight"), d)), d, wide};
    w.narrow = {keep(packed(get(".narrow.weight"), wide)), wide, d};
    w.widen_bias = keep(get(".widen.bias"));
    w.narrow_bias = keep(get(".narrow.bias"));
    return w;
}

void Policy::logits(const NetworkInput &input, std::vector<float> &workspace, float *logits) const {
    // The kernels count the scores of a state, and the rows of all states, in 32 bits.
    const double rows = static_cast<double>(input.count) + shape_.representatives;
    const double scores = rows * (shape_.heads * shape_.representatives + 8);
    if (scores > 2e9 || rows * input.states > 2e9)
        throw std::invalid_argument("there are too many candidates for this policy");
    workspace.resize(workspace_size(network_, input.states, input.count));
    forward_(network_, input, workspace.data(), logits);
}

}  // namespace sil
