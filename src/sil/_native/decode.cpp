#include "decode.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "available.h"
#include "nearest_others.h"

namespace sil {
namespace {

// Partial solutions decoded in step by one thread, so that the weights are read once for all.
constexpr std::size_t group_size = 16;

constexpr float no_neighbour = 2;  // the distance of one that is not there

constexpr double most_routes = 20;  // still to come that are told apart

double compress(double length) { return length <= 1 ? length : 1 + std::log(length); }

// Positions as the policy sees them; mirrors frame.py.
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

class PartialSolution {
  public:
    // With so many inner nodes `done`, in the order in which they are given.
    PartialSolution(const PolicyShape &shape, const DecodeTask &task, std::size_t index,
                    std::int64_t done = 0)
        : shape_(shape), task_(task), nodes_(task.nodes + index * task.length),
          via_(task.demand ? task.via_depot + index * task.length : nullptr),
          available_(task.points, nodes_ + 1 + done, task.length - 2 - done),
          order_(nodes_, nodes_ + 1 + done), random_(task.seed + index) {
        if (task.demand) {
            remaining_ = task.capacity - task.load_before[index] - task.demand[nodes_[0]];
            after_ = task.load_after[index];
            flags_.push_back(via_[0]);
            for (std::int64_t i = 1; i <= done; ++i) visit(nodes_[i], via_[i]);
            unserved_ = after_;
            spare_ = static_cast<double>(remaining_);
            for (int i = done + 1; i < task.length; ++i) {
                unserved_ += task.demand[nodes_[i]];
                if (via_[i]) spare_ += static_cast<double>(task.capacity);
            }
            spare_ -= static_cast<double>(unserved_);
        }
        if (shape.frame == Frame::Instance) {
            view_.origin = {task.corner_x, task.corner_y};
            view_.scale = task.side;
        } else if (shape.frame == Frame::Segment) frame_segment();
        if (shape.frame != Frame::Step) view_.centre = 0.5;
    }

    std::size_t num_available() const { return available_.size(); }
    const std::vector<std::int32_t> &candidates() const { return candidates_; }
    std::int64_t remaining() const { return remaining_; }

    // Writes the network's input for the next step.
    void observe(float *nodes, float *start, float *destination, float *context) {
        const Point here = at(order_.back()), end = at(last());
        available_.nearest(here, shape_.candidates, candidates_);
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
        describe_end(seen, end, share(last()) + (task_.demand ? ratio(after_) : 0), destination);
        if (!task_.demand) return;
        const Point depot = view_.place_compressed(at(0));
        context[0] = static_cast<float>(ratio(remaining_));
        context[1] = static_cast<float>(depot.x);
        context[2] = static_cast<float>(depot.y);
        context[3] = static_cast<float>(compress(std::min(ratio(unserved_), most_routes)));
    }

    // Visits the candidate that the logits (candidates, actions) favour.
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
        if (task_.demand) {
            if (best % 2 == 1) spare_ -= static_cast<double>(remaining_);
            // Another visit could not be avoided.
            if (spare_ < 0) spare_ += static_cast<double>(task_.capacity);
            unserved_ -= task_.demand[node];
            visit(node, best % 2 == 1);
        }
        order_.push_back(node);
        available_.remove(node);
    }

    // Connects the last node to the destination and writes the new order back.
    void finish() {
        if (task_.demand) visit(last(), task_.demand[last()] + after_ > remaining_);
        order_.push_back(last());
        std::copy(order_.begin(), order_.end(), nodes_);
        if (task_.demand) std::copy(flags_.begin(), flags_.end(), via_);
    }

  private:
    Point at(int node) const { return task_.points[node]; }
    int last() const { return nodes_[task_.length - 1]; }
    double ratio(std::int64_t load) const {
        return static_cast<double>(load) / static_cast<double>(task_.capacity);
    }
    double share(int node) const { return task_.demand ? ratio(task_.demand[node]) : 0; }
    double uniform() { return (static_cast<double>(random_() >> 11) + 0.5) * 0x1p-53; }

    bool fits(int node) const { return task_.demand[node] <= remaining_; }

    // Whether the rest can still be served in as many visits to the depot as in the given order,
    // if the vehicle returns now; or nothing near fits.
    bool is_return_allowed() const {
        return static_cast<double>(remaining_) <= spare_ ||
               std::none_of(candidates_.begin(), candidates_.end(),
                            [this](int node) { return fits(node); });
    }

    void visit(int node, bool via) {
        flags_.push_back(via);
        remaining_ = (via ? task_.capacity : remaining_) - task_.demand[node];
    }

    void frame_segment() {
        Bounds bounds(at(nodes_[0]));
        for (int i = 1; i < task_.length; ++i) bounds.include(at(nodes_[i]));
        view_.origin = bounds.low;
        view_.scale = bounds.side() > 0 ? bounds.side() : 1;
    }

    void follow(Point here, Point end) {
        double radius = 0;
        for (const int node : candidates_) radius = std::max(radius, planar_distance(here, at(node)));
        const double ahead = planar_distance(here, end);
        view_.origin = here;
        view_.scale = shape_.reach * (radius > 0 ? radius : 1);
        view_.cos = ahead > 0 ? (end.x - here.x) / ahead : 1;
        view_.sin = ahead > 0 ? (end.y - here.y) / ahead : 0;
    }

    float *describe(Point seen, Point point, double demand, float *out) const {
        *out++ = static_cast<float>(seen.x);
        *out++ = static_cast<float>(seen.y);
        if (!task_.demand) return out;
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
    std::int32_t *nodes_;
    bool *via_;
    AvailableNodes available_;
    View view_;
    std::vector<std::int32_t> candidates_, order_;
    std::vector<Point> beside_;              // the candidates' places
    std::vector<std::int32_t> neighbours_;  // (candidates, neighbours): which of them, or -1
    std::vector<bool> flags_;
    std::int64_t remaining_ = 0, after_ = 0;
    std::int64_t unserved_ = 0;  // demand of what is available, of the destination and behind it
    double spare_ = 0;  // capacity that need not be used in the visits that are left; 64 bits may
                        // not hold that of all of them
    std::mt19937_64 random_;
};

void decode_group(const Policy &policy, const DecodeTask &task, std::size_t first,
                  std::size_t count, const Interrupt &interrupt) {
    const PolicyShape &shape = policy.shape();
    std::vector<PartialSolution> parts;
    parts.reserve(count);
    for (std::size_t i = 0; i < count; ++i) parts.emplace_back(shape, task, first + i);

    std::vector<float> workspace, nodes, start(count * shape.features),
        destination(count * shape.features), context(count * shape.context + 1), logits;
    for (std::size_t left = parts[0].num_available(); left > 0; --left) {
        if (interrupt.is_set()) return;
        const std::size_t wide =
            shape.candidates ? std::min<std::size_t>(shape.candidates, left) : left;
        nodes.resize(count * wide * shape.features);
        logits.resize(count * wide * shape.actions);
        for (std::size_t i = 0; i < count; ++i)
            parts[i].observe(&nodes[i * wide * shape.features], &start[i * shape.features],
                             &destination[i * shape.features], &context[i * shape.context]);
        policy.logits({static_cast<int>(count), static_cast<int>(wide), nodes.data(), start.data(),
                       destination.data(), context.data()},
                      workspace, logits.data());
        for (std::size_t i = 0; i < count; ++i) parts[i].choose(&logits[i * wide * shape.actions]);
    }
    for (PartialSolution &part : parts) part.finish();
}

}  // namespace

void observe(const PolicyShape &shape, const DecodeTask &task, const std::int64_t *steps,
             const Observation &out) {
    for (std::size_t i = 0; i < task.count; ++i) {
        PartialSolution part(shape, task, i, steps[i]);
        part.observe(out.nodes + i * out.wide * shape.features, out.start + i * shape.features,
                     out.destination + i * shape.features, out.context + i * shape.context);
        std::copy(part.candidates().begin(), part.candidates().end(),
                  out.candidates + i * out.wide);
        if (out.remaining) out.remaining[i] = part.remaining();
    }
}

void decode(const Policy &policy, const DecodeTask &task, int threads, Interrupt &interrupt) {
    if (task.length < 3) return;
    // Small batches are spread over all threads before groups grow.
    const std::size_t share = (task.count + threads - 1) / threads;
    const std::size_t size = std::max<std::size_t>(1, std::min(group_size, share));
    const std::size_t groups = (task.count + size - 1) / size;
    parallel_for(groups, threads, interrupt, [&](std::size_t group) {
        const std::size_t first = group * size;
        decode_group(policy, task, first, std::min(size, task.count - first), interrupt);
    });
}

}  // namespace sil
