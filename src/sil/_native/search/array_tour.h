// A closed tour as an array. A change cuts it into a few segments and joins them in another order.
// A log allows changes to be undone.
#pragma once

#include <array>
#include <vector>

namespace sil {

class ArrayTour {
  public:
    static constexpr int max_cuts = 4;

    // A segment between two cuts, in the new order.
    struct Piece {
        int index;  // segment i runs from after cut i to cut i + 1
        bool reversed;
    };

    // The places after which the tour is cut, ascending, and the new order of the segments.
    struct Rearrangement {
        int count = 0;
        std::array<int, max_cuts> cuts;
        std::array<Piece, max_cuts> pieces;
    };

    // Nodes are numbered by their initial place.
    explicit ArrayTour(int size) : order_(size), place_(size) {
        for (int i = 0; i < size; ++i) order_[i] = place_[i] = i;
    }

    int size() const { return static_cast<int>(order_.size()); }
    int place(int node) const { return place_[node]; }
    int at(int place) const { return order_[place]; }
    int next(int node) const { return order_[wrap(place_[node] + 1)]; }
    int previous(int node) const {
        return order_[place_[node] == 0 ? size() - 1 : place_[node] - 1];
    }
    int beside(int node, bool forward) const { return forward ? next(node) : previous(node); }
    int wrap(int place) const { return place >= size() ? place - size() : place; }

    void rearrange(const Rearrangement &change);

    // Accepts the changes so far, or undoes all but the first `kept`.
    void commit() {
        log_.clear();
        old_.clear();
    }
    std::size_t changes() const { return log_.size(); }
    void undo(std::size_t kept = 0);

  private:
    void put(int place, int node) {
        order_[place] = node;
        place_[node] = place;
    }

    struct Change {
        int place, count;
    };
    std::vector<int> order_, place_;
    std::vector<Change> log_;  // places that changed, and in old_ the nodes that were there
    std::vector<int> old_;
};

}  // namespace sil
