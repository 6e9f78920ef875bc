// Checks of arrays that come from Python. They take linear time and throw ValueError. After them,
// no array can make native code leave its memory, overflow or hang.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "bindings/arrays.h"
#include "core/instance.h"

namespace {

// Larger values could overflow squares of coordinates, sums of loads or node numbers.
constexpr double largest_coordinate = 1e150;
constexpr std::int64_t largest_load = std::int64_t{1} << 53, largest_total = std::int64_t{1} << 62;
constexpr std::size_t most_nodes = std::size_t{1} << 30;
constexpr int most_threads = 1024;

[[noreturn]] inline void refuse(const std::string &why) { throw nb::value_error(why.c_str()); }

inline void require(bool condition, const char *message) {
    if (!condition) refuse(message);
}

// Vector instructions need aligned numbers.
template <class... Arrays> void require_aligned(const Arrays &...arrays) {
    const auto is_aligned = [](const auto &array) {
        return array.size() == 0 ||
               reinterpret_cast<std::uintptr_t>(array.data()) % array.itemsize() == 0;
    };
    require((is_aligned(arrays) && ...), "an array is not aligned to the size of its numbers");
}

// Whether two arrays share memory.
template <class A, class B> bool overlap(const A &a, const B &b) {
    const auto *first = reinterpret_cast<const char *>(a.data());
    const auto *second = reinterpret_cast<const char *>(b.data());
    return first < second + b.nbytes() && second < first + a.nbytes();
}

template <class Array>
void require_shape(const Array &array, std::initializer_list<std::size_t> shape) {
    require_aligned(array);
    std::size_t dimension = 0;
    for (const std::size_t size : shape)
        require(array.shape(dimension++) == size, "the shapes of the arrays do not match");
}

// An array that is written must not share memory with any other.
template <class Written, class... Others>
void require_apart(const Written &written, const Others &...others) {
    require(!(overlap(written, others) || ...),
            "an array that is written shares memory with another");
}

template <class Array> void require_finite(const Array &numbers, const char *what) {
    bool fine = true;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        fine &= std::abs(numbers.data()[i]) <= largest_coordinate;
    if (!fine) refuse(std::string(what) + " must be finite and from -1e150 to 1e150");
}

// Indices from `first` to below `end`.
template <class Array>
void require_range(const Array &indices, std::size_t first, std::size_t end, const char *what) {
    for (std::size_t i = 0; i < indices.size(); ++i) {
        const std::int64_t index = indices.data()[i];
        if (index < static_cast<std::int64_t>(first) || index >= static_cast<std::int64_t>(end))
            refuse(std::string(what) + " must be from " + std::to_string(first) + " to below " +
                   std::to_string(end) + ", not " + std::to_string(index));
    }
}

// Nodes from `first` to below `end`, each at most once.
template <class Array>
void require_distinct(const Array &nodes, std::size_t first, std::size_t end) {
    require_range(nodes, first, end, "nodes");
    std::vector<bool> seen(end);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const int node = nodes.data()[i];
        if (seen[node]) refuse("node " + std::to_string(node) + " occurs twice");
        seen[node] = true;
    }
}

// Where routes begin in a ring of nodes. They ascend, so no route is empty.
inline void require_starts(const In<std::int32_t, 1> &starts, std::size_t nodes) {
    std::int64_t before = -1;
    for (std::size_t i = 0; i < starts.size(); ++i) {
        require(starts.data()[i] > before, "starts must be ascending and not negative");
        before = starts.data()[i];
    }
    require(before < static_cast<std::int64_t>(nodes), "starts must be below the number of nodes");
}

// Routes in a row, not in a ring: the first begins at the first node.
inline void require_from_first(const sil::Routes &routes) {
    require(routes.nodes.empty() || (routes.count() > 0 && routes.starts[0] == 0),
            "the first route must begin at the first node");
}

// Routes or a tour of some of the nodes.
inline void require_whole_routes(const sil::Instance &instance, const sil::Routes &routes) {
    require_distinct(routes.nodes, instance.has_depot(), instance.size());
    require_from_first(routes);
    require(instance.has_depot() || routes.count() == 1, "a tour is a single route");
}

inline void require_lists(const sil::Instance &instance, const sil::Neighbours &neighbours) {
    require(neighbours.size() == instance.size(), "neighbours must have a list for each node");
}

inline void require_size(std::size_t nodes) {
    require(nodes > 0 && nodes <= most_nodes, "a problem must have 1 to 2**30 nodes");
}

inline const sil::Point *require_coords(const In<double, 2> &coords) {
    const sil::Point *points = as_points(coords);
    require_aligned(coords);
    require_finite(coords, "coordinates");
    return points;
}

// Loads, `count` of them.
inline void require_loads(const In<std::int64_t, 1> &loads, std::size_t count, const char *what) {
    require_aligned(loads);
    if (loads.size() != count)
        refuse(std::string(what) + " must be " + std::to_string(count) + " numbers");
    for (std::size_t i = 0; i < count; ++i)
        if (loads.data()[i] < 0 || loads.data()[i] > largest_load)
            refuse(std::string(what) + " must be from 0 to 2**53");
}

// Loads of nodes, whose sum must not overflow either.
inline void require_demands(const In<std::int64_t, 1> &demand, std::size_t nodes) {
    require_loads(demand, nodes, "demands");
    std::int64_t total = 0;
    for (std::size_t i = 0; i < nodes; ++i) {
        total += demand.data()[i];
        require(total <= largest_total, "the sum of all demands must be at most 2**62");
    }
}

inline void require_service(const In<double, 1> &service, std::size_t nodes) {
    require_aligned(service);
    require(service.size() == nodes, "every node needs a service time");
    require_finite(service, "service times");
    for (std::size_t i = 0; i < nodes; ++i)
        require(service.data()[i] >= 0, "service times must not be negative");
}

inline void require_capacity(std::int64_t capacity) {
    require(capacity >= 0 && capacity <= largest_total, "the capacity must be from 0 to 2**62");
}

inline void require_threads(int threads) {
    require(threads >= 1 && threads <= most_threads, "threads must be 1 to 1024");
}

}  // namespace
