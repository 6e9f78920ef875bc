// Stopping native work early: by Ctrl-C, by a signal handler, by a deadline, or because Python
// ends; and seeing how far it has come meanwhile.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>

namespace sil {

class Interrupt {
  public:
    Interrupt() = default;

    // One with a deadline of its own, also set when its parent is, which sees how far it has come.
    explicit Interrupt(Interrupt *parent) : parent_(parent) {}

    // Asks all work that watches this object to stop.
    void set() noexcept { requested_.store(true, std::memory_order_relaxed); }
    bool requested() const noexcept;

    // Stops the work when so many seconds, which may be infinite, have passed from now.
    void expire_in(double seconds);

    // Whether to stop now. Cheap enough to ask every microsecond, from any thread.
    bool is_set() const noexcept;

    // How much of the work under way is done, from 0 to 1.
    double fraction() const noexcept;

    // For the work itself: `count` pieces follow, and one of them is done.
    void begin(std::size_t count) noexcept;
    void advance() noexcept;

  private:
    using Clock = std::chrono::steady_clock;
    Interrupt *parent_ = nullptr;
    std::atomic<bool> requested_{false};
    std::atomic<std::size_t> done_{0}, total_{0};
    std::atomic<Clock::rep> deadline_{Clock::time_point::max().time_since_epoch().count()};
};

// Runs body() on this thread with the GIL released.
void without_gil(const std::function<void()> &body);

// Runs body(0) ... body(count - 1), each on a thread of its own, with the GIL released. Where
// threads cannot be had, fewer of them do the work, at worst the calling one alone. Otherwise that
// one sleeps and, if it is Python's main thread, wakes to let Python handle signals, so that
// Ctrl-C acts at once: it sets `interrupt`, waits for the workers and raises what the handler
// raised. What a body throws is thrown when all have ended.
void run_workers(int count, Interrupt &interrupt, const std::function<void(int)> &body);

// Runs body(i) for all i < count over the threads, until done or interrupted.
void parallel_for(std::size_t count, int threads, Interrupt &interrupt,
                  const std::function<void(std::size_t)> &body);

// To be called with the GIL held, by the thread that imports the module: from then on, Python
// waits at its end for native work of other threads, which is told to stop.
void stop_at_exit();

}  // namespace sil
