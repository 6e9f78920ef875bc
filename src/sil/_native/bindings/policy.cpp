// Bindings of the policy: its shape, its states and its decoding.
#include <string>

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.h"
#include "bindings/bindings.h"
#include "bindings/checks.h"
#include "bindings/parts.h"
#include "policy/decode.h"
#include "policy/policy.h"

using namespace nb::literals;

namespace {

// Sizes must be small enough not to overflow, and must match what the decoder reads and writes.
void make_shape(sil::PolicyShape *self, int dim, int layers, int heads, int feed_forward,
                int representatives, int features, int context, int actions, int candidates,
                int neighbours, sil::Frame frame, double reach, bool normalised) {
    const auto within = [](int value, int least, int most) {
        return value >= least && value <= most;
    };
    require(within(dim, 16, 1 << 14) && dim % 16 == 0 && within(feed_forward, 16, 1 << 16) &&
                feed_forward % 16 == 0,
            "dim and feed_forward must be multiples of 16, up to 2**14 and 2**16");
    require(within(heads, 1, dim) && dim % (8 * heads) == 0,
            "dim must be a multiple of 8 times the heads");
    require(within(layers, 1, 1024) && within(representatives, 2, (1 << 28) / (heads * dim)),
            "layers must be 1 to 1024, and representatives 2 to 2**28 / heads / dim");
    require(within(candidates, 0, 1 << 20) && within(neighbours, 0, 1024),
            "candidates must be 0 to 2**20, and neighbours 0 to 1024");
    require(within(actions, 1, 2), "actions must be 1 for TSP or 2 for CVRP");
    require(features == 2 * actions + 3 * neighbours && context == (actions == 2 ? 4 : 0),
            "features and context must match the actions and neighbours");
    require(reach > 0 && reach <= largest_coordinate, "reach must be a positive number");
    new (self) sil::PolicyShape{dim,      layers,  heads,     feed_forward, representatives,
                                features, context, actions,   candidates,   neighbours,
                                frame,    reach,   normalised};
}

void make_policy(sil::Policy *self, const sil::PolicyShape &shape,
                 const nb::typed<nb::dict, nb::str, nb::object> &weights,
                 const std::string &instruction_set) {
    std::unordered_map<std::string, std::vector<float>> values;
    for (const auto &[name, array] : weights) {
        std::string key;
        nb::ndarray<const float, nb::c_contig, nb::device::cpu> data;
        if (!nb::try_cast(name, key) || !nb::try_cast(array, data))
            throw nb::type_error("weights must map names to single-precision arrays");
        require_aligned(data);
        values[key] = {data.data(), data.data() + data.size()};
    }
    new (self) sil::Policy(shape, values, instruction_set);
}

Out<float, 3> policy_logits(const sil::Policy &policy, const In<float, 3> &nodes,
                            const In<float, 2> &start, const In<float, 2> &destination,
                            const In<float, 2> &context) {
    const std::size_t states = nodes.shape(0), count = nodes.shape(1);
    const std::size_t actions = policy.shape().actions, features = policy.shape().features;
    require(states <= most_nodes && count <= most_nodes, "there are too many states or candidates");
    require_shape(nodes, {states, count, features});
    require_shape(start, {states, features});
    require_shape(destination, {states, features});
    require_shape(context, {states, static_cast<std::size_t>(policy.shape().context)});
    std::vector<float> logits(states * count * actions), workspace;
    if (logits.empty()) return to_numpy<float, 3>(std::move(logits), {states, count, actions});
    policy.logits({static_cast<int>(states), static_cast<int>(count), nodes.data(), start.data(),
                   destination.data(), context.data()},
                  workspace, logits.data());
    return to_numpy<float, 3>(std::move(logits), {states, count, actions});
}

void require_decodable(const sil::PolicyShape &shape, const sil::Instance &instance,
                       const Parts &parts) {
    require((shape.actions == 2) == instance.has_depot(),
            "this policy is for the other kind of problem");
    require(!instance.has_depot() || instance.limits().capacity > 0,
            "the capacity must be above 0");
    parts.require_part_of(instance);
}

void policy_decode(const sil::Policy &policy, const sil::Instance &instance, const Parts &parts,
                   bool mirrored, bool sample, std::uint64_t seed, int threads,
                   sil::Interrupt &interrupt) {
    require_decodable(policy.shape(), instance, parts);
    require_threads(threads);
    sil::decode(policy, {instance, parts.view(), mirrored, sample, seed}, threads, interrupt);
}

std::tuple<Out<std::int32_t, 2>, Out<std::int64_t, 1>, Out<float, 3>, Out<float, 2>, Out<float, 2>,
           Out<float, 2>>
observe(const sil::PolicyShape &shape, const sil::Instance &instance, const Parts &parts,
        const In<std::int64_t, 1> &steps) {
    require_decodable(shape, instance, parts);
    const sil::PartialSolutions view = parts.view();
    const std::size_t count = view.count, f = shape.features, c = shape.context;
    require(view.length >= 2, "a partial solution needs at least two nodes");
    const std::size_t inner = view.length - 2;
    const std::size_t wide =
        shape.candidates ? std::min<std::size_t>(shape.candidates, inner) : inner;
    require_shape(steps, {count});
    require_range(steps, 0, inner + 1, "steps");
    std::vector<std::int32_t> candidates(count * wide, -1);
    std::vector<std::int64_t> remaining(instance.has_depot() ? count : 0);
    std::vector<float> seen(count * wide * f), start(count * f), destination(count * f),
        context(count * c);
    sil::observe(shape, {instance, view}, steps.data(),
                 {wide, candidates.data(), instance.has_depot() ? remaining.data() : nullptr,
                  seen.data(), start.data(), destination.data(), context.data()});
    return {to_numpy<std::int32_t, 2>(std::move(candidates), {count, wide}),
            to_numpy(std::move(remaining)),
            to_numpy<float, 3>(std::move(seen), {count, wide, f}),
            to_numpy<float, 2>(std::move(start), {count, f}),
            to_numpy<float, 2>(std::move(destination), {count, f}),
            to_numpy<float, 2>(std::move(context), {count, c})};
}

// Decodes in step, with a network that runs elsewhere.
class Steps {
  public:
    Steps(const sil::PolicyShape &shape, const sil::Instance &instance, const Parts &parts,
          bool mirrored, bool sample, std::uint64_t seed)
        : shape_(shape), parts_(checked(shape, instance, parts)),
          decoding_(shape, {instance, parts_.view(), mirrored, sample, seed}, 0,
                    parts_.view().count) {}

    std::size_t left() const { return decoding_.left(); }

    std::tuple<Out<float, 3>, Out<float, 2>, Out<float, 2>, Out<float, 2>>
    observe(int threads, sil::Interrupt &interrupt) {
        require_threads(threads);
        require(left() > 0, "no nodes are left to choose");
        const std::size_t count = decoding_.count(), width = decoding_.width();
        const std::size_t f = shape_.features, c = shape_.context;
        sil::Inputs inputs;
        inputs.resize(shape_, count, width);
        sil::parallel_for(count, threads, interrupt,
                          [&](std::size_t i) { decoding_.observe(i, inputs); });
        observed_ = !interrupt.is_set();
        return {to_numpy<float, 3>(std::move(inputs.nodes), {count, width, f}),
                to_numpy<float, 2>(std::move(inputs.start), {count, f}),
                to_numpy<float, 2>(std::move(inputs.destination), {count, f}),
                to_numpy<float, 2>(std::move(inputs.context), {count, c})};
    }

    void choose(const In<float, 3> &logits) {
        require(observed_, "call observe before choose");
        require_shape(logits, {decoding_.count(), decoding_.width(),
                               static_cast<std::size_t>(shape_.actions)});
        decoding_.choose(logits.data());
        observed_ = false;
    }

    void finish() {
        require(left() == 0, "there are nodes left to choose");
        require(!finished_, "decoding is already finished");
        decoding_.finish();
        finished_ = true;
    }

  private:
    static const Parts &checked(const sil::PolicyShape &shape, const sil::Instance &instance,
                                const Parts &parts) {
        require_decodable(shape, instance, parts);
        require(parts.view().length >= 3, "partial solutions need at least three nodes");
        return parts;
    }

    sil::PolicyShape shape_;
    Parts parts_;  // keeps the arrays alive
    sil::Decoding decoding_;
    bool observed_ = false, finished_ = false;
};

}  // namespace

void bind_policy(nb::module_ &m) {
    nb::enum_<sil::Frame>(m, "Frame")
        .value("INSTANCE", sil::Frame::Instance)
        .value("SEGMENT", sil::Frame::Segment)
        .value("STEP", sil::Frame::Step);

    nb::class_<sil::PolicyShape>(m, "PolicyShape", "The sizes of a policy, and what it sees.")
        .def("__init__", &make_shape, "dim"_a, "layers"_a, "heads"_a, "feed_forward"_a,
             "representatives"_a, "features"_a, "context"_a, "actions"_a, "candidates"_a,
             "neighbours"_a, "frame"_a, "reach"_a, "normalised"_a);
    m.def("instruction_sets", &sil::instruction_sets,
          "Builds of the engine that this processor can run, fastest first.");
    m.def("observe", &observe, "shape"_a, "instance"_a, "parts"_a, "steps"_a,
          "Return a state of each part: candidates, remaining, and the network's four inputs.");

    nb::class_<sil::Policy>(m, "Policy", "The policy, ready to score and decode.")
        .def("__init__", &make_policy, "shape"_a, "weights"_a, "instruction_set"_a)
        .def("logits", &policy_logits, "nodes"_a, "start"_a, "destination"_a, "context"_a,
             "Score the candidates of decoding states, without padding.")
        .def("decode", &policy_decode, "instance"_a, "parts"_a, "mirrored"_a, "sample"_a, "seed"_a,
             "threads"_a, "interrupt"_a, "Rebuild partial solutions in place, node by node.");

    nb::class_<Steps>(m, "Decoding", "Decodes step by step, with a network that runs elsewhere.")
        .def(nb::init<const sil::PolicyShape &, const sil::Instance &, const Parts &, bool, bool,
                      std::uint64_t>(),
             "shape"_a, "instance"_a, "parts"_a, "mirrored"_a, "sample"_a, "seed"_a,
             nb::keep_alive<1, 3>())
        .def_prop_ro("left", &Steps::left, "Number of nodes that each part has yet to choose.")
        .def("observe", &Steps::observe, "threads"_a, "interrupt"_a,
             "Return the network's four inputs for the next step.")
        .def("choose", &Steps::choose, "logits"_a,
             "Visit the candidates that the logits (parts, candidates, actions) select.")
        .def("finish", &Steps::finish, "Write the new order to the parts.");
}
