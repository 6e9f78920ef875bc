// Limits of one route. In native search and construction, only this file decides whether a route
// may take a customer or a part of another route.
#pragma once

#include <algorithm>
#include <cstdint>

namespace sil {

// What a part of a route uses of everything that is limited. Each field is a sum over the part, so
// parts can be added and removed in any order.
struct Usage {
    std::int64_t load = 0;

    Usage &operator+=(const Usage &other) {
        load += other.load;
        return *this;
    }
    Usage &operator-=(const Usage &other) {
        load -= other.load;
        return *this;
    }
    friend Usage operator+(Usage a, const Usage &b) { return a += b; }
    friend Usage operator-(Usage a, const Usage &b) { return a -= b; }

    // The minimum of each field.
    friend Usage least_of(const Usage &a, const Usage &b) { return {std::min(a.load, b.load)}; }
};

struct Limits {
    std::int64_t capacity = 0;

    bool allow(const Usage &route) const { return route.load <= capacity; }
};

}  // namespace sil
