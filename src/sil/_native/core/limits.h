// Limits of one route. In native search and construction, only this file decides whether a route
// may take a customer or a part of another route.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace sil {

// What a part of a route uses of everything that is limited. Each field is a sum over the part, so
// parts can be joined and taken away in any order: one + the edge between them + the other. Whole
// routes include their legs from and to the depot.
struct Usage {
    std::int64_t load = 0;
    double length = 0;   // of the edges
    double service = 0;  // service times, as the length that a vehicle covers meanwhile

    // An edge, or a change of length.
    static Usage path(double length) { return {0, length, 0}; }

    Usage &operator+=(const Usage &other) {
        load += other.load;
        length += other.length;
        service += other.service;
        return *this;
    }
    Usage &operator-=(const Usage &other) {
        load -= other.load;
        length -= other.length;
        service -= other.service;
        return *this;
    }
    friend Usage operator+(Usage a, const Usage &b) { return a += b; }
    friend Usage operator-(Usage a, const Usage &b) { return a -= b; }

    // The minimum of each field.
    friend Usage least_of(const Usage &a, const Usage &b) {
        return {std::min(a.load, b.load), std::min(a.length, b.length),
                std::min(a.service, b.service)};
    }
};

struct Limits {
    static constexpr double none = std::numeric_limits<double>::infinity();

    std::int64_t capacity = 0;
    double length = none;                            // greatest length of a route
    double duration = none;                          // greatest length with service times
    int vehicles = std::numeric_limits<int>::max();  // greatest number of routes

    // Whether lengths are limited. Most problems have no such limit, and then nobody measures them.
    bool bounded() const { return length < none || duration < none; }

    bool allow(const Usage &route) const { return route.load <= capacity && allow_length(route); }

    bool allow_length(const Usage &route) const {
        return route.length <= length && route.length + route.service <= duration;
    }
};

}  // namespace sil
