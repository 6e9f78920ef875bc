// How a forward pass divides its workspace.
#pragma once

#include <cstddef>

#include "network.h"

namespace sil {
namespace {  // a copy for each instruction set: the linker must not share them

constexpr int hidden_rows = 48;  // of the feed-forward's hidden layer at a time

struct WorkspaceLayout {
    WorkspaceLayout(const Network &net, int states, int count) {
        const std::size_t d = net.dim, s = states, r = net.representatives;
        const std::size_t m = r + count, all_pairs = r * net.heads;
        padded = static_cast<int>((all_pairs + 7) / 8 * 8);
        representatives = s * r * d;
        nodes = s * m * d;
        pairs = all_pairs * d;
        folded = s * pairs;
        transposed = d * padded;
        scores = m * padded;
        joined = d + net.context;
        hidden = hidden_rows * static_cast<std::size_t>(net.feed_forward);
    }

    std::size_t total() const {
        return 3 * representatives + nodes + folded + 2 * pairs + transposed + scores + joined +
               hidden;
    }

    int padded;  // representatives * heads, rounded up to whole vectors
    std::size_t representatives, nodes, pairs, folded, transposed, scores, joined, hidden;
};

}  // namespace
}  // namespace sil
