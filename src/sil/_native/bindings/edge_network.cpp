// Bindings of the edge network.
#include <array>
#include <optional>

#include <nanobind/stl/optional.h>

#include "bindings/arrays.h"
#include "bindings/bindings.h"
#include "bindings/checks.h"
#include "policy/edge_network.h"

using namespace nb::literals;

namespace {

void require_candidates(const sil::Instance &instance, const sil::Candidates &candidates) {
    require_lists(instance, candidates.lists);
    require(candidates.lists.width() == sil::edge_candidates,
            "the edge network needs lists of 16 candidates");
}

void make_network(sil::EdgeNetwork *self, const nb::typed<nb::list, nb::object> &arrays) {
    require(arrays.size() == 6, "the edge network has three layers, each with weights and bias");
    std::array<std::vector<float>, 6> values;
    for (std::size_t i = 0; i < values.size(); ++i) {
        nb::ndarray<const float, nb::c_contig, nb::device::cpu> array;
        if (!nb::try_cast(arrays[i], array))
            throw nb::type_error("weights must be single-precision arrays");
        require_aligned(array);
        values[i] = {array.data(), array.data() + array.size()};
    }
    const auto layer = [&](int i) {
        return sil::EdgeNetwork::Layer{values[2 * i], values[2 * i + 1]};
    };
    new (self) sil::EdgeNetwork({layer(0), layer(1), layer(2)});
}

std::optional<sil::Neighbours> likeliest(const sil::EdgeNetwork &self,
                                         const sil::Instance &instance,
                                         const sil::Candidates &candidates, std::size_t width,
                                         std::size_t fewest, float least, int threads,
                                         sil::Interrupt &interrupt) {
    require_candidates(instance, candidates);
    require(width <= sil::edge_candidates, "there are at most 16 candidates");
    require_threads(threads);
    return self.likeliest(instance, candidates, width, fewest, least, threads, interrupt);
}

Out<float, 2> features(const sil::Instance &instance, const sil::Candidates &candidates) {
    require_candidates(instance, candidates);
    sil::Interrupt interrupt;
    const std::vector<float> scales = sil::local_scales(instance, candidates, 1, interrupt);
    std::vector<float> found(instance.size() * sil::edge_inputs);
    for (std::size_t i = 0; i < instance.size(); ++i)
        sil::write_edge_features(instance, candidates, scales, static_cast<int>(i),
                                 found.data() + i * sil::edge_inputs);
    return to_numpy<float, 2>(std::move(found), {instance.size(), sil::edge_inputs});
}

}  // namespace

void bind_edge_network(nb::module_ &m) {
    m.attr("EDGE_CANDIDATES") = sil::edge_candidates;
    m.attr("EDGE_FEATURES") = sil::edge_features;
    m.def("edge_features", &features, "instance"_a, "candidates"_a,
          "What the edge network sees of each node, shape (nodes, features).");
    nb::class_<sil::EdgeNetwork>(m, "EdgeNetwork",
                                 "Says which candidates are likely beside a node.")
        .def("__init__", &make_network, "weights"_a,
             "Three layers: weights (outputs, inputs) and bias (outputs) of each.")
        .def("likeliest", &likeliest, "instance"_a, "candidates"_a, "width"_a, "fewest"_a,
             "least"_a, "threads"_a, "interrupt"_a,
             "Keep candidates whose logit is at least `least`, nearest first, but at least the "
             "`fewest` and at most the `width` likeliest; the node itself fills a shorter list. "
             "None when interrupted.");
}
