// Neighbour lists of some of the nodes, renumbered.
#pragma once

#include <cstdint>
#include <vector>

#include "core/neighbours.h"

namespace sil {

// Keeps those neighbours of `members` for which `number_of` does not return -1, in the same order
// and with these numbers. -1 fills the rest of a list.
template <class NumberOf>
std::vector<int> numbered_neighbours(const std::vector<std::int32_t> &members,
                                     const Neighbours &neighbours, NumberOf number_of) {
    const std::size_t width = neighbours.width();
    std::vector<int> lists(members.size() * width, -1);  // (members, width)
    for (std::size_t i = 0; i < members.size(); ++i) {
        int *next = lists.data() + i * width;
        const std::int32_t *near = neighbours.of(members[i]);
        for (std::size_t k = 0; k < width; ++k) {
            const int number = number_of(near[k]);
            if (number >= 0 && number != static_cast<int>(i)) *next++ = number;
        }
    }
    return lists;
}

// The distances to the nodes in such lists, at the same places.
template <class Length, class Distance>
std::vector<Length> neighbour_lengths(const Distance &distance, const std::vector<int> &lists,
                                      int width) {
    std::vector<Length> lengths(lists.size());
    for (std::size_t i = 0; i < lists.size(); ++i)
        if (lists[i] >= 0)
            lengths[i] = static_cast<Length>(distance(static_cast<int>(i / width), lists[i]));
    return lengths;
}

}  // namespace sil
