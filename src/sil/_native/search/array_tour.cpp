#include "search/array_tour.h"

namespace sil {

void ArrayTour::rearrange(const Rearrangement &change) {
    const int count = change.count;
    const auto length = [&](int segment) {
        const int end = segment + 1 < count ? change.cuts[segment + 1] : change.cuts[0] + size();
        return end - change.cuts[segment];
    };
    // The longest segment does not move; the others follow it in their new order.
    int longest = 0;
    for (int i = 1; i < count; ++i)
        if (length(change.pieces[i].index) > length(change.pieces[longest].index)) longest = i;
    const Piece fixed = change.pieces[longest];
    std::array<Piece, max_cuts> pieces;
    for (int i = 1; i < count; ++i) {
        const int from = fixed.reversed ? longest + count - i : longest + i;
        pieces[i] = change.pieces[from % count];
        pieces[i].reversed ^= fixed.reversed;
    }
    // Skip segments at the beginning and at the end that stay in place.
    int first = 1, last = count - 1, segment = fixed.index;
    const auto in_place = [&](int i, int expected) {
        return pieces[i].index == expected % count && !pieces[i].reversed;
    };
    while (first <= last && in_place(first, segment + 1)) {
        ++first;
        ++segment;
    }
    for (int expected = fixed.index + count - 1; first <= last && in_place(last, expected);
         --expected)
        --last;
    if (first > last) return;

    const int begin = wrap(change.cuts[(segment + 1) % count] + 1);
    int changed = 0;
    for (int i = first; i <= last; ++i) changed += length(pieces[i].index);
    const std::size_t saved = old_.size();
    log_.push_back({begin, changed});
    old_.resize(saved + changed);
    for (int i = 0, place = begin; i < changed; ++i, place = wrap(place + 1))
        old_[saved + i] = order_[place];

    int place = begin;
    for (int i = first; i <= last; ++i) {
        const int size_of = length(pieces[i].index);
        int offset = wrap(change.cuts[pieces[i].index] + 1) - begin;
        if (offset < 0) offset += size();
        const int *nodes = old_.data() + saved + offset;
        for (int k = 0; k < size_of; ++k, place = wrap(place + 1))
            put(place, nodes[pieces[i].reversed ? size_of - 1 - k : k]);
    }
}

void ArrayTour::undo(std::size_t kept) {
    while (log_.size() > kept) {
        const Change change = log_.back();
        log_.pop_back();
        const int *nodes = old_.data() + old_.size() - change.count;
        for (int i = 0, place = change.place; i < change.count; ++i, place = wrap(place + 1))
            put(place, nodes[i]);
        old_.resize(old_.size() - change.count);
    }
}

}  // namespace sil
