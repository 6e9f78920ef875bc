// Neighbour lists of some of the nodes, in numbers of their own.
#pragma once

#include <cstdint>
#include <vector>

namespace sil {

// `neighbours` lists `width` near nodes of each node. Of the lists of `members` those other nodes
// are kept for which `number_of` gives a number and not -1, in the same order; -1 fills up the rest.
template <class NumberOf>
std::vector<int> numbered_neighbours(const std::vector<int> &members,
                                     const std::int32_t *neighbours, std::size_t width,
                                     NumberOf number_of) {
    std::vector<int> lists(members.size() * width, -1);  // (members, width)
    for (std::size_t i = 0; i < members.size(); ++i) {
        int *next = lists.data() + i * width;
        for (std::size_t k = 0; k < width; ++k) {
            const int number = number_of(neighbours[members[i] * width + k]);
            if (number >= 0 && number != static_cast<int>(i)) *next++ = number;
        }
    }
    return lists;
}

// The lengths to the nodes that such lists hold, in the same places.
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
