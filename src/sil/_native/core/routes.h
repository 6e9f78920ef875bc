// Solutions in native code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sil {

// Nodes in the order of their visit, and the indices where routes begin. A route begins and ends at
// the depot, which is not listed. A tour is a single route without a depot.
struct Routes {
    std::vector<std::int32_t> nodes, starts;

    std::size_t count() const { return starts.size(); }
    std::size_t begin(std::size_t route) const { return starts[route]; }
    std::size_t end(std::size_t route) const {
        return route + 1 < starts.size() ? starts[route + 1] : nodes.size();
    }

    // Begins a new route. Nodes added from now on belong to it.
    void open() { starts.push_back(static_cast<std::int32_t>(nodes.size())); }
};

}  // namespace sil
