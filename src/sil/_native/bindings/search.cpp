// Bindings of the search.
#include <optional>

#include <nanobind/stl/optional.h>

#include "bindings/arrays.h"
#include "bindings/bindings.h"
#include "bindings/checks.h"
#include "search/route_order.h"
#include "search/route_search.h"
#include "search/tour_search.h"

using namespace nb::literals;

namespace {

// The number of steps per node may be infinite; an interrupt then ends the search.
void make_effort(sil::Effort *self, double steps, double temperature, std::uint64_t seed) {
    require(steps >= 0, "the number of steps must not be negative");
    require(temperature >= 0 && temperature <= largest_coordinate,
            "the temperature must be finite and not negative");
    new (self) sil::Effort{steps, temperature, seed};
}

sil::Division division(const sil::Instance &instance, const In<std::int32_t, 1> &part_of,
                       std::size_t count) {
    require_aligned(part_of);
    require(count <= instance.size(), "there are more parts than nodes");
    require_range(part_of, 0, count, "parts");
    return {part_of.data(), count};
}

sil::Routes search_tour(const sil::Instance &instance, const sil::Neighbours &neighbours,
                        sil::Routes routes, const In<std::int32_t, 1> &region, std::size_t regions,
                        bool descend, const sil::Effort &effort, int threads,
                        sil::Interrupt &interrupt) {
    require(!instance.has_depot(), "a problem with a depot has routes, not a tour");
    require_lists(instance, neighbours);
    require_whole_routes(instance, routes);
    require(routes.nodes.size() == instance.size() && region.size() == instance.size(),
            "the tour and its regions must contain all nodes");
    require_threads(threads);
    sil::search_tour(instance, neighbours, routes, division(instance, region, regions), descend,
                     effort, threads, interrupt);
    return routes;
}

sil::Routes search_routes(const sil::Instance &instance, const sil::Neighbours &neighbours,
                          sil::Routes routes, const In<std::int32_t, 1> &group, std::size_t groups,
                          const sil::Effort &effort, int threads, sil::Interrupt &interrupt,
                          const std::optional<In<bool, 1>> &held, int removals) {
    require(instance.has_depot(), "a problem without a depot has a tour, not routes");
    require_lists(instance, neighbours);
    require_whole_routes(instance, routes);
    require(group.size() == routes.count(), "every route needs a group");
    require(!held || held->size() == instance.size(), "held must have a flag for each node");
    require_threads(threads);
    sil::search_routes(instance, neighbours, routes, division(instance, group, groups),
                       held ? held->data() : nullptr, removals, effort, threads, interrupt);
    return routes;
}

sil::Routes improve_order(const sil::Instance &instance, const sil::Neighbours &neighbours,
                          sil::Routes routes, bool fixed_ends, const sil::Effort &effort,
                          int threads, sil::Interrupt &interrupt) {
    require(fixed_ends || instance.has_depot(), "without a depot, the ends must be fixed");
    require_lists(instance, neighbours);
    require_distinct(routes.nodes, instance.has_depot() && !fixed_ends, instance.size());
    require_from_first(routes);
    require_threads(threads);
    sil::improve_order(instance, neighbours, routes,
                       fixed_ends ? sil::Ends::Fixed : sil::Ends::Depot, effort, threads,
                       interrupt);
    return routes;
}

}  // namespace

void bind_search(nb::module_ &m) {
    nb::class_<sil::Effort>(m, "Effort", "How hard to search.")
        .def("__init__", &make_effort, "steps"_a, "temperature"_a = 0.0, "seed"_a = 0,
             "Steps per node, a temperature in units of the metric, and a seed.");
    m.def("search_tour", &search_tour, "instance"_a, "neighbours"_a, "routes"_a, "region"_a,
          "regions"_a, "descend"_a, "effort"_a, "threads"_a, "interrupt"_a,
          "Improve a tour inside each region by iterated k-opt.");
    m.def("search_routes", &search_routes, "instance"_a, "neighbours"_a, "routes"_a, "group"_a,
          "groups"_a, "effort"_a, "threads"_a, "interrupt"_a, "held"_a = nb::none(),
          "removals"_a = 0, "Improve each group of routes by ruin and recreate.");
    m.def("improve_order", &improve_order, "instance"_a, "neighbours"_a, "routes"_a, "fixed_ends"_a,
          "effort"_a, "threads"_a, "interrupt"_a,
          "Improve the order within routes, or within runs between fixed ends, by k-opt.");
}
