// The decoding state of a partial solution: what the network sees of it, and how a choice changes
// it. The tests compute the same in numpy, for comparison.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "policy/available.h"
#include "policy/decode.h"
#include "policy/nearest_others.h"

namespace sil {

inline constexpr float no_neighbour = 2;  // the distance of a missing neighbour

inline constexpr double most_told_apart = 20;  // remaining routes that the policy distinguishes

inline double compress(double length) { return length <= 1 ? length : 1 + std::log(length); }

// Positions as the policy sees them.
struct View {
    Point origin{};
    double scale = 1, cos = 1, sin = 0, centre = 0;

    Point place(Point p) const {
        const double x = (p.x - origin.x) / scale, y = (p.y - origin.y) / scale;
        return {cos * x + sin * y, cos * y - sin * x};
    }

    Point place_compressed(Point p) const {
        Point q = place(p);
        q = {q.x - centre, q.y - centre};
        const double length = std::sqrt(q.x * q.x + q.y * q.y);
        const double shrink = length > 1 ? compress(length) / length : 1;
        return {q.x * shrink + centre, q.y * shrink + centre};
    }
};

class DecodingState {
  public:
    // After the first `done` inner nodes have been visited in the given order.
    DecodingState(const PolicyShape &shape, const DecodeTask &task, std::size_t index,
                  std::int64_t done = 0)
        : shape_(shape), task_(task), instance_(task.instance), length_(task.parts.length),
          nodes_(task.parts.nodes_of(index)), via_(task.parts.flags_of(index)),
          last_(nodes_[length_ - 1]),
          available_(instance_.layout(), nodes_ + 1 + done, length_ - 2 - done),
          order_(nodes_, nodes_ + 1 + done), random_(task.seed + index) {
        if (instance_.has_depot()) {
            used_ = task.parts.before(index) + instance_.usage(nodes_[0]);
            after_ = task.parts.after(index);
            flags_.push_back(via_[0]);
            for (std::int64_t i = 1; i <= done; ++i) visit(nodes_[i - 1], nodes_[i], via_[i]);
            unserved_ = after_;
            spare_ = static_cast<double>(remaining());
            for (int i = done + 1; i < length_; ++i) {
                unserved_ += instance_.usage(nodes_[i]);
                if (via_[i]) spare_ += static_cast<double>(capacity());
            }
            spare_ -= static_cast<double>(unserved_.load);
        }
        if (shape.frame == Frame::Instance) frame(shown(instance_.bounds()));
        else if (shape.frame == Frame::Segment) frame_segment();
        if (shape.frame != Frame::Step) view_.centre = 0.5;
    }

    std::size_t num_available() const { return available_.size(); }
    const std::vector<std::int32_t> &candidates() const { return candidates_; }
    std::int64_t remaining() const { return capacity() - used_.load; }

    // Writes the network's input for the next step.
    void observe(float *nodes, float *start, float *destination, float *context) {
        const Point here = at(order_.back()), end = at(last_);
        available_.nearest(instance_.layout()[order_.back()], shape_.candidates, candidates_);
        if (shape_.frame == Frame::Step) follow(here, end);
        find_neighbours();
        for (std::size_t i = 0; i < candidates_.size(); ++i) {
            const int node = candidates_[i];
            nodes = describe(view_.place(at(node)), at(node), share(node), nodes);
            nodes = describe_neighbours(i, nodes);
        }
        describe_end(view_.place(here), here, 0, start);
        const Point seen =
            shape_.frame == Frame::Step ? view_.place_compressed(end) : view_.place(end);
        describe_end(seen, end, share(last_) + (has_depot() ? ratio(after_.load) : 0), destination);
        if (!has_depot()) return;
        const Point depot = view_.place_compressed(at(0));
        context[0] = static_cast<float>(ratio(remaining()));
        context[1] = static_cast<float>(depot.x);
        context[2] = static_cast<float>(depot.y);
        context[3] = static_cast<float>(compress(std::min(ratio(unserved_.load), most_told_apart)));
    }

    // Visits the candidate that the logits (candidates, actions) select.
    void choose(const float *logits) {
        const int actions = shape_.actions;
        const bool may_return = actions == 2 && is_return_allowed();
        std::size_t best = 0;
        double highest = -std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < candidates_.size() * actions; ++i) {
            if (actions == 2 && !(i % 2 ? may_return : fits(candidates_[i / 2]))) continue;
            double value = logits[i];
            if (task_.sample) value -= std::log(-std::log(uniform()));  // Gumbel
            if (value > highest) {
                highest = value;
                best = i;
            }
        }
        const int node = candidates_[best / actions];
        if (has_depot()) {
            if (best % 2 == 1) spare_ -= static_cast<double>(remaining());
            // One more visit than in the given order was unavoidable.
            if (spare_ < 0) spare_ += static_cast<double>(capacity());
            unserved_ -= instance_.usage(node);
            visit(node, best % 2 == 1);
        }
        order_.push_back(node);
        available_.remove(node);
    }

    // Connects the last node to the destination and writes the new order back.
    void finish() {
        if (has_depot()) visit(last_, !limits().allow(used_ + reached(last_) + after_));
        order_.push_back(last_);
        std::copy(order_.begin(), order_.end(), nodes_);
        if (has_depot()) std::copy(flags_.begin(), flags_.end(), via_);
    }

  private:
    // The map as the policy sees it, possibly mirrored.
    Point shown(Point p) const { return {task_.mirrored ? -p.x : p.x, p.y}; }
    Bounds shown(const Bounds &of) const {
        Bounds bounds(shown(of.low));
        bounds.include(shown(of.high));
        return bounds;
    }
    Point at(int node) const { return shown(instance_.layout()[node]); }

    bool has_depot() const { return instance_.has_depot(); }
    const Limits &limits() const { return instance_.limits(); }
    std::int64_t capacity() const { return limits().capacity; }
    double ratio(std::int64_t load) const {
        return static_cast<double>(load) / static_cast<double>(capacity());
    }
    double share(int node) const { return has_depot() ? ratio(instance_.usage(node).load) : 0; }
    double uniform() { return (static_cast<double>(random_() >> 11) + 0.5) * 0x1p-53; }

    // A node and the edge to it from the last one.
    Usage reached(int node) const {
        return instance_.usage(node) + Usage::path(length(order_.back(), node));
    }

    // Lengths matter only where they are limited.
    double length(int a, int b) const { return limits().bounded() ? instance_.distance(a, b) : 0; }

    // Whether the vehicle can visit a node next, and still return from there.
    bool fits(int node) const {
        return limits().allow(used_ + reached(node) + Usage::path(length(node, 0)));
    }

    // Whether the vehicle may return now: the rest can still be served with as many visits to the
    // depot as in the given order, or no candidate fits.
    bool is_return_allowed() const {
        return static_cast<double>(remaining()) <= spare_ ||
               std::none_of(candidates_.begin(), candidates_.end(),
                            [this](int node) { return fits(node); });
    }

    // Goes from the last node to this one.
    void visit(int node, bool via) { visit(order_.back(), node, via); }

    void visit(int from, int node, bool via) {
        flags_.push_back(via);
        if (via) used_ = {};
        used_ += instance_.usage(node) + Usage::path(length(via ? 0 : from, node));
    }

    void frame_segment() {
        Bounds bounds(at(nodes_[0]));
        for (int i = 1; i < length_; ++i) bounds.include(at(nodes_[i]));
        frame(bounds);
    }

    void frame(const Bounds &bounds) {
        view_.origin = bounds.low;
        view_.scale = bounds.side() > 0 ? bounds.side() : 1;
    }

    void follow(Point here, Point end) {
        double radius = 0;
        for (const int node : candidates_)
            radius = std::max(radius, planar_distance(here, at(node)));
        const double ahead = planar_distance(here, end);
        view_.origin = here;
        view_.scale = shape_.reach * (radius > 0 ? radius : 1);
        view_.cos = ahead > 0 ? (end.x - here.x) / ahead : 1;
        view_.sin = ahead > 0 ? (end.y - here.y) / ahead : 0;
    }

    float *describe(Point seen, Point point, double demand, float *out) const {
        *out++ = static_cast<float>(seen.x);
        *out++ = static_cast<float>(seen.y);
        if (!has_depot()) return out;
        *out++ = static_cast<float>(demand);
        *out++ = static_cast<float>(compress(planar_distance(point, at(0)) / view_.scale));
        return out;
    }

    // The ends of the partial solution have no neighbours.
    void describe_end(Point seen, Point point, double demand, float *out) const {
        out = describe(seen, point, demand, out);
        std::fill_n(out, 3 * shape_.neighbours, 0.0f);
    }

    void find_neighbours() {
        beside_.clear();
        for (const int node : candidates_) beside_.push_back(at(node));
        neighbours_.resize(candidates_.size() * shape_.neighbours);
        nearest_others(beside_.data(), beside_.size(), shape_.neighbours, neighbours_.data());
    }

    float *describe_neighbours(std::size_t candidate, float *out) const {
        const Point own = view_.place(beside_[candidate]);
        for (int i = 0; i < shape_.neighbours; ++i) {
            const int other = neighbours_[candidate * shape_.neighbours + i];
            const Point seen = other < 0 ? own : view_.place(beside_[other]);
            *out++ = static_cast<float>(seen.x - own.x);
            *out++ = static_cast<float>(seen.y - own.y);
            *out++ = other < 0 ? no_neighbour : static_cast<float>(planar_distance(own, seen));
        }
        return out;
    }

    const PolicyShape &shape_;
    const DecodeTask &task_;
    const Instance &instance_;
    int length_;
    std::int32_t *nodes_;
    bool *via_;
    int last_;  // the destination
    AvailableNodes available_;
    View view_;
    std::vector<std::int32_t> candidates_, order_;
    std::vector<Point> beside_;             // the candidates' places
    std::vector<std::int32_t> neighbours_;  // (candidates, neighbours): which of them, or -1
    std::vector<bool> flags_;
    Usage used_;        // of the route so far
    Usage after_;       // of the last route, after the destination
    Usage unserved_;    // of the available nodes, of the destination and after it
    double spare_ = 0;  // capacity that the remaining visits to the depot need not use; an integer
                        // could overflow
    std::mt19937_64 random_;
};

}  // namespace sil
