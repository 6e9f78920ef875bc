#include "policy/decode.h"

#include <algorithm>

#include "policy/state.h"

namespace sil {
namespace {

// Number of partial solutions that a thread decodes in step, to read the weights once for all.
constexpr std::size_t group_size = 16;

void decode_group(const Policy &policy, const DecodeTask &task, std::size_t first,
                  std::size_t count, const Interrupt &interrupt) {
    const PolicyShape &shape = policy.shape();
    Decoding decoding(shape, task, first, count);
    std::vector<float> workspace, logits;
    Inputs inputs;
    while (decoding.left() > 0) {
        if (interrupt.is_set()) return;
        inputs.resize(shape, count, decoding.width());
        logits.resize(count * decoding.width() * shape.actions);
        for (std::size_t i = 0; i < count; ++i) decoding.observe(i, inputs);
        policy.logits({static_cast<int>(count), static_cast<int>(decoding.width()),
                       inputs.nodes.data(), inputs.start.data(), inputs.destination.data(),
                       inputs.context.data()},
                      workspace, logits.data());
        decoding.choose(logits.data());
    }
    decoding.finish();
}

}  // namespace

void Inputs::resize(const PolicyShape &shape, std::size_t states, std::size_t width) {
    nodes.resize(states * width * shape.features);
    start.resize(states * shape.features);
    destination.resize(states * shape.features);
    context.resize(states * shape.context);
}

Decoding::Decoding(const PolicyShape &shape, const DecodeTask &task, std::size_t first,
                   std::size_t count)
    : shape_(shape), task_(task) {
    states_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) states_.emplace_back(shape_, task_, first + i);
    left_ = count > 0 ? states_[0].num_available() : 0;
}

Decoding::~Decoding() = default;

std::size_t Decoding::count() const { return states_.size(); }

std::size_t Decoding::width() const {
    return shape_.candidates ? std::min<std::size_t>(shape_.candidates, left_) : left_;
}

void Decoding::observe(std::size_t state, Inputs &inputs) {
    const std::size_t features = shape_.features;
    states_[state].observe(inputs.nodes.data() + state * width() * features,
                           inputs.start.data() + state * features,
                           inputs.destination.data() + state * features,
                           inputs.context.data() + state * shape_.context);
}

void Decoding::choose(const float *logits) {
    const std::size_t scores = width() * shape_.actions;
    for (std::size_t i = 0; i < states_.size(); ++i) states_[i].choose(logits + i * scores);
    --left_;
}

void Decoding::finish() {
    for (DecodingState &state : states_) state.finish();
}

void observe(const PolicyShape &shape, const DecodeTask &task, const std::int64_t *steps,
             const Observation &out) {
    for (std::size_t i = 0; i < task.parts.count; ++i) {
        DecodingState state(shape, task, i, steps[i]);
        state.observe(out.nodes + i * out.wide * shape.features, out.start + i * shape.features,
                      out.destination + i * shape.features, out.context + i * shape.context);
        std::copy(state.candidates().begin(), state.candidates().end(),
                  out.candidates + i * out.wide);
        if (out.remaining) out.remaining[i] = state.remaining();
    }
}

void decode(const Policy &policy, const DecodeTask &task, int threads, Interrupt &interrupt) {
    const std::size_t count = task.parts.count;
    if (task.parts.length < 3) return;
    // Use all threads before making groups larger.
    const std::size_t share = (count + threads - 1) / threads;
    const std::size_t size = std::max<std::size_t>(1, std::min(group_size, share));
    const std::size_t groups = (count + size - 1) / size;
    parallel_for(groups, threads, interrupt, [&](std::size_t group) {
        const std::size_t first = group * size;
        decode_group(policy, task, first, std::min(size, count - first), interrupt);
    });
}

}  // namespace sil
