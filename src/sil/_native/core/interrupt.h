// Stops native work early: on Ctrl-C, from a signal handler, at a deadline, or when Python exits.
// Also reports its progress.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>

namespace sil {

class Interrupt {
  public:
    Interrupt() = default;

    // Has its own deadline, is also set when its parent is, and reports progress to its parent.
    explicit Interrupt(Interrupt *parent) : parent_(parent) {}

    // Asks all work that watches this object to stop.
    void set() noexcept { requested_.store(true, std::memory_order_relaxed); }
    bool requested() const noexcept;

    // Sets a deadline this many seconds from now; may be infinite.
    void expire_in(double seconds);

    // Whether to stop now. Cheap enough to call every microsecond, from any thread.
    bool is_set() const noexcept;

    // Progress of the current work, from 0 to 1.
    double fraction() const noexcept;

    // Called by the work: `count` pieces follow; one of them is done.
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

// Runs body(0) ... body(count - 1), each on its own thread, with the GIL released. If threads
// cannot be created, fewer do the work, at worst only the calling one. Otherwise the calling thread
// sleeps. If it is Python's main thread, it wakes regularly to let Python handle signals. If a
// handler raises, as on Ctrl-C, it sets `interrupt`, waits for the workers and raises that
// exception. An exception from a body is thrown when all have ended.
void run_workers(int count, Interrupt &interrupt, const std::function<void(int)> &body);

// Runs body(i) for all i < count, divided among the threads, until done or interrupted.
void parallel_for(std::size_t count, int threads, Interrupt &interrupt,
                  const std::function<void(std::size_t)> &body);

// The same for small pieces of work: each thread takes many at a time.
template <class Body>
void parallel_for_each(std::size_t count, int threads, Interrupt &interrupt, const Body &body) {
    constexpr std::size_t block = 4096;
    parallel_for((count + block - 1) / block, threads, interrupt, [&](std::size_t b) {
        for (std::size_t i = b * block; i < std::min(count, (b + 1) * block); ++i) body(i);
    });
}

// To be called with the GIL held, by the thread that imports the module. From then on, Python stops
// native work of other threads when it exits, and waits for it.
void stop_at_exit();

}  // namespace sil
