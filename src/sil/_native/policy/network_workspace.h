// The division of a forward pass's workspace.
#pragma once

#include <cstddef>

#include "policy/attention.h"
#include "policy/network.h"

namespace sil {
namespace {  // a copy per instruction set: the linker must not merge them

constexpr int hidden_rows = 48;  // per tile of the feed-forward's hidden layer

struct WorkspaceLayout {
    WorkspaceLayout(const Network &net, int states, int count) {
        const std::size_t d = net.dim, s = states, r = net.representatives;
        const std::size_t m = r + count;
        const AttentionShape shape{static_cast<int>(m), net.dim, net.heads, net.representatives,
                                   net.representatives * net.dim};
        const std::size_t padded = padded_of(shape);
        representatives = s * r * d;
        nodes = s * m * d;
        pairs = pairs_of(shape) * d;
        folded = s * pairs;
        scratch = scratch_of(shape);
        scores = m * padded;
        joined = d + net.context;
        hidden = hidden_rows * static_cast<std::size_t>(net.feed_forward);
        seen = net.normalised ? nodes : 0;
        seen_representatives = net.normalised ? representatives : 0;
        tile = net.normalised ? hidden_rows * d : 0;
    }

    std::size_t total() const {
        return 3 * representatives + nodes + folded + 2 * pairs + scratch + scores + joined +
               hidden + seen + seen_representatives + tile;
    }

    std::size_t representatives, nodes, pairs, folded, scratch, scores, joined, hidden;
    std::size_t seen, seen_representatives, tile;
};

}  // namespace
}  // namespace sil
