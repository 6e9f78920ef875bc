// Partial solutions: runs of consecutive nodes that are rebuilt between their fixed ends.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/limits.h"

namespace sil {

// A batch as in partial.py, rewritten in place. The flags and loads are null for TSP.
struct PartialSolutions {
    std::size_t count;                                               // of partial solutions
    int length;                                                      // of each
    std::int32_t *nodes;                                             // (count, length)
    bool *via_depot;                                                 // (count, length)
    const std::int64_t *load_before, *load_after;                    // (count)
    const double *travel_before = nullptr, *travel_after = nullptr;  // (count, 2): length, service

    std::int32_t *nodes_of(std::size_t part) const { return nodes + part * length; }
    bool *flags_of(std::size_t part) const {
        return via_depot ? via_depot + part * length : nullptr;
    }
    // What the routes of the first and the last node use outside the partial solution.
    Usage before(std::size_t part) const { return outside(load_before, travel_before, part); }
    Usage after(std::size_t part) const { return outside(load_after, travel_after, part); }

  private:
    static Usage outside(const std::int64_t *load, const double *travel, std::size_t part) {
        return {load ? load[part] : 0, travel ? travel[2 * part] : 0,
                travel ? travel[2 * part + 1] : 0};
    }
};

}  // namespace sil
