#include "policy/edge_network.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace sil {
namespace {

constexpr int scale_nodes = 5;        // whose mean distance is the scale of a node
constexpr int block = 64;             // nodes that the network sees at a time
constexpr float foreign_edge = 1.0f;  // logit lost if a node is no candidate of its candidate

// The place of a node in the list of another, or edge_candidates if it is not there.
int rank_of(const Candidates &candidates, int node, int other) {
    const std::int32_t *list = candidates.lists.of(other);
    return static_cast<int>(std::find(list, list + edge_candidates, node) - list);
}

}  // namespace

std::vector<float> local_scales(const Instance &instance, const Candidates &candidates, int threads,
                                Interrupt &interrupt) {
    std::vector<float> scales(instance.size());
    const Point *at = instance.layout();
    parallel_for_each(scales.size(), threads, interrupt, [&](std::size_t i) {
        const std::int32_t *list = candidates.lists.of(static_cast<int>(i));
        double sum = 0;
        for (int k = 0; k < scale_nodes; ++k) sum += planar_distance(at[i], at[list[k]]);
        scales[i] = static_cast<float>(sum / scale_nodes);
    });
    return scales;
}

void write_edge_features(const Instance &instance, const Candidates &candidates,
                         const std::vector<float> &scales, int node, float *features) {
    constexpr int count = edge_candidates;
    const std::int32_t *list = candidates.lists.of(node);
    const Point *at = instance.layout(), origin = at[node];
    std::array<double, count> x, y, distance;
    for (int k = 0; k < count; ++k) {
        x[k] = at[list[k]].x - origin.x;
        y[k] = at[list[k]].y - origin.y;
        distance[k] = std::sqrt(x[k] * x[k] + y[k] * y[k]);
    }
    // Turns the first candidate that is not at the same place to the positive x axis, and mirrors
    // the next one that is not in line with it to the positive side.
    const int first = static_cast<int>(
        std::find_if(distance.begin(), distance.end(), [](double d) { return d > 0; }) -
        distance.begin());
    const double cosine = first < count ? x[first] / distance[first] : 1,
                 sine = first < count ? y[first] / distance[first] : 0;
    double mirror = 0;
    for (int k = 0; k < count; ++k) {
        const double along = x[k] * cosine + y[k] * sine, across = y[k] * cosine - x[k] * sine;
        if (mirror == 0 && k > first && std::fabs(across) > 1e-9 * distance[k])
            mirror = across > 0 ? 1 : -1;
        x[k] = along;
        y[k] = across * mirror;
    }
    constexpr double tiny = 1e-30;
    const double scale = std::fmax(scales[node], tiny);
    for (int k = 0; k < count; ++k) {
        int nearer = 0;
        for (int other = 0; other < k; ++other) {
            const double dx = x[k] - x[other], dy = y[k] - y[other];
            nearer += dx * dx + dy * dy < distance[k] * distance[k];
        }
        const double away = std::log1p(distance[k] / scale),
                     shrink = distance[k] > 0 ? away / distance[k] : 0;
        const double crowd = std::log(std::fmax(scales[list[k]], tiny) / scale);
        const double values[edge_features] = {x[k] * shrink,
                                              y[k] * shrink,
                                              away,
                                              std::fmax(-8.0, std::fmin(8.0, crowd)),
                                              rank_of(candidates, node, list[k]) /
                                                  static_cast<double>(count),
                                              static_cast<double>(candidates.around[node] >> k & 1),
                                              std::min(nearer, 8) / 4.0};
        for (const double value : values) *features++ = static_cast<float>(value);
    }
}

EdgeNetwork::EdgeNetwork(const std::array<Layer, 3> &layers) : dense_(best_dense()) {
    std::size_t inputs = edge_inputs;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const std::size_t outputs = layers[i].bias.size();
        if (outputs == 0 || outputs % 16 || layers[i].weights.size() != inputs * outputs)
            throw std::invalid_argument("the layers of the edge network do not match");
        layers_[i] = {packed(layers[i].weights, static_cast<int>(inputs)), layers[i].bias};
        inputs = outputs;
    }
    if (inputs != edge_candidates)
        throw std::invalid_argument("the edge network needs one output per candidate");
}

void EdgeNetwork::forward(int count, const float *features, std::vector<float> &workspace,
                          float *logits) const {
    const std::size_t first = layers_[0].bias.size(), second = layers_[1].bias.size();
    workspace.resize(count * (first + second));
    float *hidden = workspace.data(), *deeper = hidden + count * first;
    const auto layer = [&](int i, const float *x, float *out) {
        dense_(layers_[i].matrix(), layers_[i].bias.data(), count, x, out, i < 2);
    };
    layer(0, features, hidden);
    layer(1, hidden, deeper);
    layer(2, deeper, logits);
}

std::optional<Neighbours> EdgeNetwork::likeliest(const Instance &instance,
                                                 const Candidates &candidates, std::size_t width,
                                                 std::size_t fewest, float least, int threads,
                                                 Interrupt &interrupt) const {
    constexpr std::size_t count = edge_candidates;
    const std::size_t size = instance.size();
    const std::vector<float> scales = local_scales(instance, candidates, threads, interrupt);
    std::vector<float> logits(size * count);
    parallel_for((size + block - 1) / block, threads, interrupt, [&](std::size_t b) {
        const std::size_t begin = b * block, end = std::min(size, begin + block);
        std::vector<float> features(block * edge_inputs), workspace;
        for (std::size_t i = begin; i < end; ++i)
            write_edge_features(instance, candidates, scales, static_cast<int>(i),
                                features.data() + (i - begin) * edge_inputs);
        forward(static_cast<int>(end - begin), features.data(), workspace,
                logits.data() + begin * count);
    });
    std::vector<std::int32_t> lists(size * width);
    parallel_for_each(size, threads, interrupt, [&](std::size_t i) {
        const int node = static_cast<int>(i);
        const std::int32_t *list = candidates.lists.of(node);
        std::array<float, count> likely;
        std::array<int, count> order;
        for (std::size_t k = 0; k < count; ++k) {
            const std::size_t back = rank_of(candidates, node, list[k]);
            const float own = logits[i * count + k];
            likely[k] =
                back < count ? (own + logits[list[k] * count + back]) / 2 : own - foreign_edge;
            if (!std::isfinite(likely[k])) likely[k] = -std::numeric_limits<float>::max();
        }
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(), [&](int a, int b) {
            return likely[a] != likely[b] ? likely[a] > likely[b] : a < b;
        });
        std::size_t kept = std::min(fewest, width);
        while (kept < width && likely[order[kept]] >= least) ++kept;
        std::sort(order.begin(), order.begin() + kept);
        for (std::size_t k = 0; k < width; ++k)
            lists[i * width + k] = k < kept ? list[order[k]] : node;
    });
    if (interrupt.is_set()) return std::nullopt;
    return Neighbours(std::move(lists), size, width);
}

}  // namespace sil
