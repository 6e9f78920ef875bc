// Bindings that rebuild and recombine partial solutions without the policy.
#include <optional>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include "bindings/arrays.h"
#include "bindings/bindings.h"
#include "bindings/checks.h"
#include "bindings/parts.h"
#include "segments/exact.h"
#include "segments/recombine.h"

using namespace nb::literals;

namespace {

void make_parts(Parts *self, const Into<std::int32_t, 2> &nodes,
                const std::optional<Into<bool, 2>> &via_depot,
                const std::optional<In<std::int64_t, 1>> &load_before,
                const std::optional<In<std::int64_t, 1>> &load_after,
                const std::optional<In<double, 2>> &travel_before,
                const std::optional<In<double, 2>> &travel_after) {
    const std::size_t count = nodes.shape(0), length = nodes.shape(1);
    require_aligned(nodes);
    require(count <= most_nodes && length <= most_nodes && (count == 0 || length > 0),
            "a partial solution must have 1 to 2**30 nodes");
    require(via_depot.has_value() == load_before.has_value() &&
                via_depot.has_value() == load_after.has_value(),
            "via-depot flags and loads go together");
    if (via_depot) {
        require(via_depot->shape(0) == count && via_depot->shape(1) == length,
                "every node of a partial solution needs a flag");
        require_loads(*load_before, count, "loads before");
        require_loads(*load_after, count, "loads after");
        require_apart(nodes, *via_depot, *load_before, *load_after);
        require_apart(*via_depot, *load_before, *load_after);
    }
    for (const auto &travel : {travel_before, travel_after}) {
        if (!travel) continue;
        require(via_depot.has_value(), "without a depot there are no routes to travel");
        require_shape(*travel, {count, 2});
        require_aligned(*travel);
        require_finite(*travel, "lengths and service times");
    }
    new (self) Parts{nodes, via_depot, load_before, load_after, travel_before, travel_after};
}

void reconstruct_exactly(const sil::Instance &instance, const Parts &parts, int threads,
                         sil::Interrupt &interrupt) {
    parts.require_part_of(instance);
    const sil::PartialSolutions view = parts.view();
    require(view.length <= sil::max_exact_length,
            "these partial solutions are too long for an exhaustive search");
    require_threads(threads);
    sil::parallel_for(view.count, threads, interrupt,
                      [&](std::size_t part) { sil::reconstruct_exactly(instance, view, part); });
}

std::pair<sil::Routes, double> recombine(const sil::Instance &instance,
                                         const In<std::int32_t, 1> &run, const sil::Routes &old,
                                         const sil::Routes &rebuilt) {
    require_aligned(run);
    require(!old.nodes.empty() && run.size() == old.nodes.size() &&
                rebuilt.nodes.size() == old.nodes.size(),
            "the two rings must have the same nodes");
    require_distinct(old.nodes, instance.has_depot(), instance.size());
    require_distinct(rebuilt.nodes, instance.has_depot(), instance.size());
    std::vector<bool> in_ring(instance.size());
    for (const int node : old.nodes) in_ring[node] = true;
    for (const int node : rebuilt.nodes)
        require(in_ring[node], "the two rings must have the same nodes");
    sil::Recombined found;
    sil::without_gil([&] { found = sil::recombine(instance, run.data(), old, rebuilt); });
    return {std::move(found.routes), found.gain};
}

}  // namespace

void bind_segments(nb::module_ &m) {
    nb::class_<Parts>(m, "PartialSolutions", "Runs of nodes between fixed ends, rebuilt in place.")
        .def("__init__", &make_parts, "nodes"_a.noconvert(),
             "via_depot"_a.none().noconvert() = nb::none(), "load_before"_a = nb::none(),
             "load_after"_a = nb::none(), "travel_before"_a = nb::none(),
             "travel_after"_a = nb::none());
    m.attr("MAX_EXACT_LENGTH") = sil::max_exact_length;
    m.def("reconstruct_exactly", &reconstruct_exactly, "instance"_a, "parts"_a, "threads"_a,
          "interrupt"_a, "Replace each partial solution, in place, by the cheapest order.");
    m.def("recombine", &recombine, "instance"_a, "run"_a, "old"_a, "rebuilt"_a,
          "Combine old and rebuilt runs into shorter ones; return the routes and the gain.");
}
