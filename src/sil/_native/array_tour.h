// A closed tour as an array, changed by cutting it into a few segments and joining them anew, with
// a log that takes changes back.
#pragma once

#include <array>
#include <vector>

namespace sil {

class ArrayTour {
  public:
    static constexpr int max_cuts = 4;

    // A segment between two cuts, in the new order.
    struct Piece {
        int index;  // segment i runs from behind cut i to cut i + 1
        bool reversed;
    };

    // The places behind which the tour is cut, ascending, and the segments' new order.
    struct Rearrangement {
        int count = 0;
        std::array<int, max_cuts> cuts;
        std::array<Piece, max_cuts> pieces;
    };

    // Nodes are numbered by their place at the beginning.
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

    // Forgets the changes so far, or takes back all but the first `kept`.
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
