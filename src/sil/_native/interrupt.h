// Stopping native work early: by Ctrl-C, by a signal handler, or by a deadline; and seeing how far
// it has come meanwhile.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>

namespace sil {

class Interrupt {
  public:
    Interrupt() = default;

    // One with a deadline of its own, also set when its parent is.
    explicit Interrupt(const Interrupt *parent) : parent_(parent) {}

    // Asks all work that watches this object to stop.
    void set() noexcept { requested_.store(true, std::memory_order_relaxed); }
    bool requested() const noexcept {
        return requested_.load(std::memory_order_relaxed) || (parent_ && parent_->requested());
    }

    // Stops the work when so many seconds have passed from now.
    void expire_in(double seconds);

    // Whether to stop now. Cheap enough to ask every microsecond, from any thread.
    bool is_set() const noexcept;

    // How much of the work under way is done, from 0 to 1.
    double fraction() const noexcept;

    // For the work itself: `count` pieces follow, and one of them is done.
    void begin(std::size_t count) noexcept;
    void advance() noexcept { done_.fetch_add(1, std::memory_order_relaxed); }

  private:
    using Clock = std::chrono::steady_clock;
    const Interrupt *parent_ = nullptr;
    std::atomic<bool> requested_{false};
    std::atomic<std::size_t> done_{0}, total_{0};
    std::atomic<Clock::rep> deadline_{Clock::time_point::max().time_since_epoch().count()};
};

// Runs body(0) ... body(threads - 1), each on a thread of its own, with the GIL released. The
// calling thread sleeps meanwhile and wakes only to let Python handle signals, so Ctrl-C acts at
// once: it sets `interrupt`, waits for the workers and raises what the handler raised.
void run_workers(int threads, Interrupt &interrupt, const std::function<void(int)> &body);

// Runs body(i) for all i < count over the threads, until done or interrupted.
void parallel_for(std::size_t count, int threads, Interrupt &interrupt,
                  const std::function<void(std::size_t)> &body);

}  // namespace sil
