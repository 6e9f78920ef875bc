#include "core/interrupt.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include <nanobind/nanobind.h>
#include <pthread.h>
#include <sys/mman.h>

namespace nb = nanobind;

namespace sil {
namespace {

std::atomic<bool> python_ends{false};
std::atomic<int> calls_without_gil{0};
std::atomic<unsigned long> main_thread{0};

// When Python exits, it ends a thread that requests the GIL by unwinding its stack. Destructors and
// nanobind do not survive that. Such a thread must sleep instead: the process ends anyway.
void take_gil(PyThreadState *state) {
    try {
        PyEval_RestoreThread(state);
    } catch (...) {
        while (true) std::this_thread::sleep_for(std::chrono::hours(1));
    }
}

// Releases the GIL during its lifetime.
class ReleasedGil {
  public:
    ReleasedGil() {
        ++calls_without_gil;
        state_ = PyEval_SaveThread();
    }
    ~ReleasedGil() {
        --calls_without_gil;
        take_gil(state_);
    }
    ReleasedGil(const ReleasedGil &) = delete;
    ReleasedGil &operator=(const ReleasedGil &) = delete;

    // Lets Python handle signals; returns whether a handler raised.
    bool handle_signals() {
        take_gil(state_);
        const bool raised = PyErr_CheckSignals() != 0;
        state_ = PyEval_SaveThread();
        return raised;
    }

  private:
    PyThreadState *state_;
};

// Whether there is address space for one more thread. If a thread runs out of it while it starts,
// the C library ends the process.
bool has_room_for_thread() {
    constexpr std::size_t room = std::size_t{64} << 20;
    void *const tried =
        mmap(nullptr, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (tried == MAP_FAILED) return false;
    munmap(tried, room);
    return true;
}

bool is_main_thread() { return PyThread_get_thread_ident() == main_thread; }

void stop_all_work() {
    python_ends = true;
    const ReleasedGil released;
    // Work checks its interrupt far more often than this. One of the calls is our own.
    const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (calls_without_gil > 1 && std::chrono::steady_clock::now() < latest)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace

void stop_at_exit() {
    const nb::object main = nb::module_::import_("threading").attr("main_thread")();
    main_thread = nb::cast<unsigned long>(main.attr("ident"));
    // Only the thread that forks continues in the child.
    pthread_atfork(nullptr, nullptr, [] {
        calls_without_gil = 0;
        main_thread = PyThread_get_thread_ident();
    });
    nb::module_::import_("atexit").attr("register")(nb::cpp_function(&stop_all_work));
}

void Interrupt::expire_in(double seconds) {
    // A century is long enough and cannot overflow the clock.
    const std::chrono::duration<double> wait(std::min(std::max(seconds, 0.0), 3.2e9));
    const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(wait);
    deadline_.store(deadline.time_since_epoch().count(), std::memory_order_relaxed);
}

bool Interrupt::requested() const noexcept {
    for (const Interrupt *each = this; each; each = each->parent_)
        if (each->requested_.load(std::memory_order_relaxed)) return true;
    return false;
}

bool Interrupt::is_set() const noexcept {
    if (python_ends.load(std::memory_order_relaxed)) return true;
    const auto now = Clock::now().time_since_epoch().count();
    for (const Interrupt *each = this; each; each = each->parent_)
        if (each->requested_.load(std::memory_order_relaxed) ||
            now >= each->deadline_.load(std::memory_order_relaxed))
            return true;
    return false;
}

double Interrupt::fraction() const noexcept {
    const auto total = static_cast<double>(total_.load(std::memory_order_relaxed));
    const auto done = static_cast<double>(done_.load(std::memory_order_relaxed));
    return total > 0 ? std::min(done / total, 1.0) : 0.0;
}

void Interrupt::begin(std::size_t count) noexcept {
    for (Interrupt *each = this; each; each = each->parent_) {
        each->done_.store(0, std::memory_order_relaxed);
        each->total_.store(count, std::memory_order_relaxed);
    }
}

void Interrupt::advance() noexcept {
    for (Interrupt *each = this; each; each = each->parent_)
        each->done_.fetch_add(1, std::memory_order_relaxed);
}

void without_gil(const std::function<void()> &body) {
    const ReleasedGil released;
    body();
}

void run_workers(int count, Interrupt &interrupt, const std::function<void(int)> &body) {
    std::mutex mutex;
    std::condition_variable finished;
    std::atomic<int> next{0};
    int running = 0;
    std::exception_ptr failure;
    bool signalled = false;

    const auto work = [&]() noexcept {
        for (int worker; (worker = next.fetch_add(1)) < count;) {
            try {
                body(worker);
            } catch (...) {
                interrupt.set();
                std::lock_guard lock(mutex);
                if (!failure) failure = std::current_exception();
            }
        }
    };
    const auto work_beside = [&]() noexcept {
        work();
        std::lock_guard lock(mutex);
        --running;
        finished.notify_one();
    };

    {
        ReleasedGil released;
        std::vector<std::thread> workers;
        workers.reserve(count);
        while (static_cast<int>(workers.size()) < count && has_room_for_thread()) {
            {
                std::lock_guard lock(mutex);
                ++running;
            }
            try {
                workers.emplace_back(work_beside);
            } catch (const std::exception &) {  // no more threads, or no memory for them
                std::lock_guard lock(mutex);
                --running;
                break;
            }
        }
        if (workers.empty()) work();

        const bool may_signal = is_main_thread();
        std::unique_lock lock(mutex);
        const auto done = [&] { return running == 0; };
        while (!finished.wait_for(lock, std::chrono::milliseconds(50), done)) {
            if (signalled || !may_signal) continue;
            lock.unlock();
            signalled = released.handle_signals();
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
