// Rebuilds partial solutions with the policy, node by node between their fixed ends.
#pragma once

#include <cstdint>
#include <vector>

#include "core/instance.h"
#include "core/interrupt.h"
#include "policy/policy.h"
#include "segments/partial.h"

namespace sil {

struct DecodeTask {
    const Instance &instance;
    PartialSolutions parts;  // rebuilt in place
    bool mirrored = false;   // show the policy the mirror image of the map
    bool sample = false;     // draw from the policy instead of taking its best
    std::uint64_t seed = 0;
};

// The network's input for one step of several states with equally many candidates; see network.h.
struct Inputs {
    std::vector<float> nodes, start, destination, context;

    void resize(const PolicyShape &shape, std::size_t states, std::size_t width);
};

class DecodingState;

// Decodes `count` partial solutions from `first` on, in step. The caller scores the candidates. The
// partial solutions need at least three nodes. In each step, observe all states, then choose.
class Decoding {
  public:
    Decoding(const PolicyShape &shape, const DecodeTask &task, std::size_t first,
             std::size_t count);
    ~Decoding();
    Decoding(const Decoding &) = delete;
    Decoding &operator=(const Decoding &) = delete;

    std::size_t count() const;
    std::size_t left() const { return left_; }  // nodes that each has yet to choose
    std::size_t width() const;                  // candidates of the next step

    // Writes what the network sees of a state.
    void observe(std::size_t state, Inputs &inputs);

    // In each state, visits the candidate that the logits (count, width, actions) select.
    void choose(const float *logits);

    // When no nodes are left: goes to the destinations and writes the new order back.
    void finish();

  private:
    const PolicyShape shape_;
    const DecodeTask task_;
    std::vector<DecodingState> states_;
    std::size_t left_;
};

// What the network sees of one decoding state per partial solution; see network.h.
struct Observation {
    std::size_t wide;          // places for candidates; unused ones are filled with zeros
    std::int32_t *candidates;  // (count, wide), then -1
    std::int64_t *remaining;   // (count), capacity left, or null for TSP
    float *nodes, *start, *destination, *context;
};

// Observes partial solution i after `steps[i]` of its inner nodes have been visited.
void observe(const PolicyShape &shape, const DecodeTask &task, const std::int64_t *steps,
             const Observation &out);

// If interrupted, unfinished partial solutions stay as they were. Results do not depend on the
// number of threads.
void decode(const Policy &policy, const DecodeTask &task, int threads, Interrupt &interrupt);

}  // namespace sil
