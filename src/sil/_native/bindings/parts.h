// Partial solutions in arrays that Python owns.
#pragma once

#include <optional>

#include "bindings/arrays.h"
#include "bindings/checks.h"
#include "core/instance.h"
#include "segments/partial.h"

struct Parts {
    Into<std::int32_t, 2> nodes;
    std::optional<Into<bool, 2>> via_depot;
    std::optional<In<std::int64_t, 1>> load_before, load_after;
    std::optional<In<double, 2>> travel_before, travel_after;

    sil::PartialSolutions view() const {
        return {nodes.shape(0),
                static_cast<int>(nodes.shape(1)),
                nodes.data(),
                via_depot ? via_depot->data() : nullptr,
                load_before ? load_before->data() : nullptr,
                load_after ? load_after->data() : nullptr,
                travel_before ? travel_before->data() : nullptr,
                travel_after ? travel_after->data() : nullptr};
    }

    // Checked at each use, because Python may have changed the arrays.
    void require_part_of(const sil::Instance &instance) const {
        require(via_depot.has_value() == instance.has_depot(),
                "flags and loads are needed with a depot, and not allowed without");
        require_range(nodes, 0, instance.size(), "nodes");
        if (!via_depot) return;
        require_loads(*load_before, nodes.shape(0), "loads before");
        require_loads(*load_after, nodes.shape(0), "loads after");
    }
};
