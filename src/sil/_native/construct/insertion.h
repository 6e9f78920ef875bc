// Random insertion (the paper's appendix "Generate the Initial Solution").
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/instance.h"
#include "core/interrupt.h"

namespace sil {

// Inserts the nodes of `order` one by one, each at the cheapest place. For TSP it grows one closed
// tour. Otherwise it grows routes: each of the first `num_seeds` nodes opens one, and others are
// opened only when no route has room. Returns nullopt if interrupted.
std::optional<Routes> insertion(const Instance &instance, const std::vector<std::int32_t> &order,
                                std::size_t num_seeds, const Interrupt &interrupt);

}  // namespace sil
