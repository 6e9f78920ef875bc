#include "interrupt.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace sil {

void Interrupt::expire_in(double seconds) {
    // A century is as good as forever and cannot overflow the clock.
    const std::chrono::duration<double> wait(std::min(std::max(seconds, 0.0), 3.2e9));
    const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(wait);
    deadline_.store(deadline.time_since_epoch().count(), std::memory_order_relaxed);
}

bool Interrupt::is_set() const noexcept {
    return requested() ||
           Clock::now().time_since_epoch().count() >= deadline_.load(std::memory_order_relaxed) ||
           (parent_ && parent_->is_set());
}

double Interrupt::fraction() const noexcept {
    const auto total = total_.load(std::memory_order_relaxed);
    return total ? static_cast<double>(done_.load(std::memory_order_relaxed)) / total : 0.0;
}

void Interrupt::begin(std::size_t count) noexcept {
    done_.store(0, std::memory_order_relaxed);
    total_.store(count, std::memory_order_relaxed);
}

void run_workers(int threads, Interrupt &interrupt, const std::function<void(int)> &body) {
    std::mutex mutex;
    std::condition_variable finished;
    int running = threads;
    std::exception_ptr failure;
    bool signalled = false;

    {
        nb::gil_scoped_release release;
        std::vector<std::thread> workers;
        workers.reserve(threads);
        for (int worker = 0; worker < threads; ++worker)
            workers.emplace_back([&, worker] {
                std::exception_ptr error;
                try {
                    body(worker);
                } catch (...) {
                    error = std::current_exception();
                    interrupt.set();
                }
                std::lock_guard lock(mutex);
                if (error && !failure) failure = error;
                --running;
                finished.notify_one();
            });

        std::unique_lock lock(mutex);
        const auto done = [&] { return running == 0; };
        while (!finished.wait_for(lock, std::chrono::milliseconds(50), done)) {
            if (signalled) continue;
            lock.unlock();
            {
                nb::gil_scoped_acquire acquire;
                signalled = PyErr_CheckSignals() != 0;
            }
            if (signalled) interrupt.set();
            lock.lock();
        }
        lock.unlock();
        for (std::thread &worker : workers) worker.join();
    }
    if (signalled) throw nb::python_error();
    if (failure) std::rethrow_exception(failure);
}

void parallel_for(std::size_t count, int threads, Interrupt &interrupt,
                  const std::function<void(std::size_t)> &body) {
    std::atomic<std::size_t> next{0};
    const int workers = static_cast<int>(std::min<std::size_t>(std::max(threads, 1), count));
    if (workers == 0) return;
    interrupt.begin(count);
    run_workers(workers, interrupt, [&](int) {
        for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) {
            if (interrupt.is_set()) return;
            body(i);
            interrupt.advance();
        }
    });
}

}  // namespace sil
