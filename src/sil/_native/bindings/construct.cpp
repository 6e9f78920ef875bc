// Bindings of the starts.
#include <optional>

#include <nanobind/stl/optional.h>

#include "bindings/arrays.h"
#include "bindings/bindings.h"
#include "bindings/checks.h"
#include "construct/insertion.h"
#include "construct/joining.h"

using namespace nb::literals;

namespace {

std::optional<sil::Routes> insertion(const sil::Instance &instance,
                                     const In<std::int32_t, 1> &order, std::size_t num_seeds,
                                     sil::Interrupt &interrupt) {
    require_aligned(order);
    require_distinct(order, instance.has_depot(), instance.size());
    require(instance.has_depot() || num_seeds <= 1, "num_seeds must be 0 or 1 for a tour");
    const auto nodes = to_vector(order);
    std::optional<sil::Routes> routes;
    sil::run_workers(1, interrupt,
                     [&](int) { routes = sil::insertion(instance, nodes, num_seeds, interrupt); });
    return routes;
}

std::optional<sil::Routes> greedy_edge(const sil::Instance &instance,
                                       const sil::Neighbours &neighbours, int threads,
                                       sil::Interrupt &interrupt) {
    require(!instance.has_depot(), "greedy edge is for TSP only");
    require_lists(instance, neighbours);
    require_threads(threads);
    return sil::greedy_edge(instance, neighbours, threads, interrupt);
}

std::optional<sil::Routes> savings(const sil::Instance &instance, const sil::Neighbours &neighbours,
                                   int threads, sil::Interrupt &interrupt) {
    require_lists(instance, neighbours);
    require_threads(threads);
    return sil::savings(instance, neighbours, threads, interrupt);
}

}  // namespace

void bind_construct(nb::module_ &m) {
    m.def("insertion", &insertion, "instance"_a, "order"_a, "num_seeds"_a, "interrupt"_a,
          "Insert nodes in order, each at the cheapest place; None when interrupted.");
    m.def("greedy_edge", &greedy_edge, "instance"_a, "neighbours"_a, "threads"_a, "interrupt"_a,
          "Grow a tour from the shortest edges; None when interrupted.");
    m.def("savings", &savings, "instance"_a, "neighbours"_a, "threads"_a, "interrupt"_a,
          "Join routes, largest savings first; None when interrupted.");
}
