// What native code relies on, checked where arrays come in from Python: linear passes that throw
// ValueError. Behind them no array can make it leave its memory, overflow or hang.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arrays.h"

namespace {

// Above these, squares of coordinates or sums of loads could overflow, or numbers of nodes not fit.
constexpr double largest_coordinate = 1e150;
constexpr std::int64_t largest_load = std::int64_t{1} << 53, largest_total = std::int64_t{1} << 62;
constexpr std::size_t most_nodes = std::size_t{1} << 30;
constexpr int most_threads = 1024;

[[noreturn]] inline void refuse(const std::string &why) { throw nb::value_error(why.c_str()); }

inline void require(bool condition, const char *message) {
    if (!condition) refuse(message);
}

// Vector instructions need numbers at multiples of their size.
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
        require(array.shape(dimension++) == size, "the shapes of the arrays do not fit");
}

// What is written must share no memory with anything else.
template <class Written, class... Others>
void require_apart(const Written &written, const Others &...others) {
    require(!(overlap(written, others) || ...),
            "an array that is written shares memory with another");
}

template <class Array> void require_finite(const Array &numbers, const char *what) {
    bool fine = true;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        fine &= std::abs(numbers.data()[i]) <= largest_coordinate;
    if (!fine) refuse(std::string(what) + " must be finite, and at most 1e150 in size");
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

// Nodes from `first` to below `end`, none of them twice.
inline void require_distinct(const In<std::int32_t, 1> &nodes, std::size_t first, std::size_t end) {
    require_range(nodes, first, end, "nodes");
    std::vector<bool> seen(end);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const int node = nodes.data()[i];
        if (seen[node]) refuse("node " + std::to_string(node) + " is there twice");
        seen[node] = true;
    }
}

// Where routes begin: the first at 0, each behind the one before, and none is empty.
inline void require_starts(const In<std::int32_t, 1> &starts, std::size_t nodes) {
    std::int64_t before = -1;
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const std::int64_t start = starts.data()[i];
        require(i == 0 ? start == 0 : start > before, "starts must ascend from 0");
        before = start;
    }
    require(before < static_cast<std::int64_t>(nodes) && (nodes == 0 || starts.size() > 0),
            "starts must be those of the nodes given");
}

inline void require_neighbours(const In<std::int32_t, 2> &neighbours, std::size_t nodes) {
    require_aligned(neighbours);
    require(neighbours.shape(0) == nodes, "neighbours must have a row for each node");
    require(neighbours.shape(1) < most_nodes, "there are too many neighbours");
    require_range(neighbours, 0, nodes, "neighbours");
}

// Loads, one for each of so many.
inline void require_loads(const In<std::int64_t, 1> &loads, std::size_t count, const char *what) {
    require_aligned(loads);
    if (loads.size() != count)
        refuse(std::string(what) + " must be " + std::to_string(count) + " numbers");
    for (std::size_t i = 0; i < count; ++i)
        if (loads.data()[i] < 0 || loads.data()[i] > largest_load)
            refuse(std::string(what) + " must be from 0 to 2**53");
}

// Loads of nodes that may all come together.
inline void require_demands(const In<std::int64_t, 1> &demand, std::size_t nodes) {
    require_loads(demand, nodes, "demands");
    std::int64_t total = 0;
    for (std::size_t i = 0; i < nodes; ++i) {
        total += demand.data()[i];
        require(total <= largest_total, "demands must add up to 2**62 at most");
    }
}

inline void require_capacity(std::int64_t capacity) {
    require(capacity >= 0 && capacity <= largest_total, "a capacity must be from 0 to 2**62");
}

inline void require_threads(int threads) {
    require(threads >= 1 && threads <= most_threads, "the threads must be 1 to 1024");
}

// Steps a node may be infinitely many: then an interrupt ends them.
inline void require_effort(double steps, double temperature) {
    require(steps >= 0, "a number of steps must not be negative");
    require(temperature >= 0 && temperature <= largest_coordinate,
            "a temperature must be finite and not negative");
}

// Partial solutions as in segments.py, written in place.
struct Runs {
    const Into<std::int32_t, 2> &nodes;
    const std::optional<Into<bool, 2>> &via_depot;
    const std::optional<In<std::int64_t, 1>> &load_before, &load_after, &demand;
    std::int64_t capacity;

    void require_valid(std::size_t num_nodes) const {
        const std::size_t count = nodes.shape(0), length = nodes.shape(1);
        require_aligned(nodes);
        require(count <= most_nodes && length <= most_nodes && (count == 0 || length > 0),
                "a partial solution has nodes, up to 2**30");
        require_range(nodes, 0, num_nodes, "nodes");
        require_capacity(capacity);
        if (!demand) return;
        require(via_depot && load_before && load_after, "demands need via-depot flags and loads");
        require(via_depot->shape(0) == count && via_depot->shape(1) == length,
                "every node of a partial solution needs a flag");
        require_demands(*demand, num_nodes);
        require_loads(*load_before, count, "loads before");
        require_loads(*load_after, count, "loads after");
        require_apart(nodes, *via_depot, *load_before, *load_after, *demand);
        require_apart(*via_depot, *load_before, *load_after, *demand);
    }
};

}  // namespace
