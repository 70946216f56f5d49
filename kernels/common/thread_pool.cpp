#include "common/thread_pool.h"

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>

#include "common/cpu.h"
#include "common/floating_point_mode.h"
#include "common/interrupt.h"

namespace gkl_shim {
namespace {

// The least work for one thread. A sleeping thread gets at least twice the time that waking one has
// taken lately: 5 us on some machines and 100 us on others, which are mostly virtual.
constexpr int64_t kWorthSharing = 2000;  // ns
constexpr int64_t kWakingAtFirst = 50000, kWakingAtMost = 200000;

// How long an idle worker spins, and how long a caller spins while its workers finish.
constexpr std::chrono::microseconds kAwake(200);
// Workers spin only after this many calls in a row, each within kAwake of the one before. One call
// for one region makes fewer.
enum { kCallsInARow = 8 };

typedef std::chrono::steady_clock Clock;

// Spins until done() or for kAwake; returns whether done().
template <class Done>
bool spin(Done done) {
    if (done()) return true;
    for (const Clock::time_point end = Clock::now() + kAwake; Clock::now() < end;)
        for (int k = 0; k < 16; k++) {
            if (done()) return true;
            relax();
        }
    return false;
}

// One parallel_for in flight. It lives on its caller's stack and in the pool's list.
struct Job {
    const int64_t count;
    const ParallelTask task;
    int wanted = 0;  // workers that may still join
    std::atomic<int64_t> next{0};
    std::atomic<int> working{0};  // workers that have joined, under the mutex, and not left
    Job *following = nullptr;
    Clock::time_point start;
    std::atomic<bool> failed{false};
    std::exception_ptr failure;  // the first; read only after all threads have left

    Job(int64_t count, const ParallelTask &task) : count(count), task(task) {}

    bool open() const { return wanted > 0 && next.load(std::memory_order_relaxed) < count; }

    void work() {
        try {
            for (int64_t k; (k = next.fetch_add(1, std::memory_order_relaxed)) < count;) {
                task.call(task.function, k);
                check_interrupt();
            }
        } catch (...) {
            next = count;
            if (!failed.exchange(true)) failure = std::current_exception();
        }
    }
};

class Pool {
   public:
    void run(Job *job) {
        bool wake;
        job->start = Clock::now();
        {
            const Lock lock = locked();
            start_workers(job->wanted);
            job->following = jobs_;
            jobs_ = job;
            wake = job->wanted > awake_ && asleep_ > 0;
            news_.fetch_add(1, std::memory_order_release);
        }
        // Wake one worker, which wakes two more. Waking is a system call, and the caller can do
        // other work meanwhile.
        if (wake) work_.notify_one();
        job->work();
        const auto alone = [job] { return job->working.load(std::memory_order_acquire) == 0; };
        spin(alone);
        Lock lock = locked();
        for (Job **link = &jobs_; *link; link = &(*link)->following)
            if (*link == job) {
                *link = job->following;
                break;
            }
        waiting_++;
        left_.wait(lock, alone);
        waiting_--;
    }

    int awake() const { return awake_; }
    int64_t waking() const { return waking_; }

    // Whether workers spin from call to call. Then the cost of waking one is shared by later calls.
    bool staying() const { return calls_in_a_row_ >= kCallsInARow && !crowded(callers_ + 1); }

    // Brackets every call, including those with too little work to share.
    void begin(Calls calls) {
        const bool soon = Clock::now() - last_end_.load(std::memory_order_relaxed) < kAwake;
        if (calls == Calls::kSeveral)
            calls_in_a_row_ = kCallsInARow;
        else
            calls_in_a_row_ = soon ? std::min<int>(calls_in_a_row_ + 1, kCallsInARow) : 0;
        callers_++;
    }
    void end() {
        callers_--;
        last_end_.store(Clock::now(), std::memory_order_relaxed);
    }

   private:
    typedef std::unique_lock<std::mutex> Lock;

    // Spins first, because the mutex is held for less time than blocking on it takes.
    Lock locked() {
        Lock lock(mutex_, std::defer_lock);
        if (!spin([&lock] { return lock.try_lock(); })) lock.lock();
        return lock;
    }

    void start_workers(int wanted) {
        const int most = usable_cpus_ - 1;
        while (workers_ < std::min(wanted, most)) {
            if (start_thread(serve, this) != 0) return;
            workers_++;
        }
    }

    // This does not throw, because a job stores the exceptions of its tasks.
    static void *serve(void *pool) noexcept {
        static_cast<Pool *>(pool)->serve();
        return nullptr;
    }

    Job *open_job() const {
        Job *job = jobs_;
        while (job && !job->open()) job = job->following;
        return job;
    }

    void serve() {
        Lock lock = locked();
        for (bool woken = false;;) {
            if (Job *job = open_job()) {
                if (woken) note_waking(Clock::now() - job->start);
                woken = false;
                job->wanted--;
                job->working.fetch_add(1, std::memory_order_relaxed);
                const int more =
                    job->open() ? std::min({job->wanted - int(awake_), asleep_, 2}) : 0;
                lock.unlock();
                for (int k = 0; k < more; k++) work_.notify_one();
                job->work();
                // After this, the caller may have returned and destroyed the job.
                const bool last = job->working.fetch_sub(1, std::memory_order_release) == 1;
                lock = locked();
                if (last && waiting_ > 0) left_.notify_all();
            } else if (!stay_awake(&lock)) {
                asleep_++;
                work_.wait(lock);
                asleep_--;
                woken = true;
            }
        }
    }

    // A moving average over about eight wakings, measured from the job's start: a worker that is
    // woken by another worker counts both delays.
    void note_waking(std::chrono::nanoseconds took) {
        const int64_t now = std::min<int64_t>(took.count(), kWakingAtMost);
        waking_ = waking_ + (now - waking_) / 8;
    }

    // Whether spinning would take CPUs from other callers.
    bool crowded(int callers) const { return callers > 1 && callers + awake_ >= usable_cpus_; }

    // Spins for a new job; returns whether there is one.
    bool stay_awake(Lock *lock) {
        if (calls_in_a_row_ < kCallsInARow || crowded(callers_)) return false;
        const uint32_t seen = news_;
        const auto news = [this, seen] { return news_.load(std::memory_order_acquire) != seen; };
        awake_++;
        lock->unlock();
        spin(news);
        *lock = locked();
        awake_--;
        return news();
    }

    const int usable_cpus_ = usable_cpus();
    std::mutex mutex_;
    std::condition_variable work_, left_;
    Job *jobs_ = nullptr;
    int workers_ = 0, asleep_ = 0, waiting_ = 0;
    std::atomic<int> callers_{0};
    std::atomic<int> awake_{0};                    // idle workers that are not asleep
    std::atomic<uint32_t> news_{0};                // counts jobs
    std::atomic<int64_t> waking_{kWakingAtFirst};  // ns
    std::atomic<int> calls_in_a_row_{0};
    std::atomic<Clock::time_point> last_end_{Clock::time_point()};
};

// Never destroyed: at exit, workers may still be waiting on its condition variable.
alignas(Pool) unsigned char pool_memory[sizeof(Pool)];
Pool *pool = nullptr;

void make_pool() { pool = new (pool_memory) Pool; }

// Not std::call_once: libstdc++'s calls the function through pthread_once(), and an exception would
// then pass through the C library's unwinder instead of ours.
Pool &the_pool() {
    static const bool made = [] {
        // A forked child has none of the threads, and perhaps a locked mutex: it gets a new pool.
        if (pthread_atfork(nullptr, nullptr, make_pool) != 0) throw std::bad_alloc();
        make_pool();
        return true;
    }();
    (void)made;
    return *pool;
}

}  // namespace

int start_thread(void *(*run)(void *), void *argument, size_t stack_bytes) {
    // A new thread inherits the mode.
    const FloatingPointMode mode;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (stack_bytes) pthread_attr_setstacksize(&attributes, stack_bytes);
    pthread_t thread;
    const int failed = pthread_create(&thread, &attributes, run, argument);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return failed;
}

int threads_for(int64_t nanoseconds, int most) {
    if (most <= 1) return 1;
    const Pool &pool = the_pool();
    const int64_t woken = nanoseconds / (2 * pool.waking() + 1);
    const int64_t awake = pool.staying() ? most : pool.awake();
    return int(
        std::min<int64_t>(most, 1 + std::max(woken, std::min(awake, nanoseconds / kWorthSharing))));
}

void run_in_parallel(int64_t count, int64_t nanoseconds, int most, Calls calls, ParallelTask task) {
    Job job(count, task);
    if (most <= 1) {
        job.work();
    } else {
        job.wanted = int(std::min<int64_t>(threads_for(nanoseconds, most), count)) - 1;
        Pool &pool = the_pool();
        pool.begin(calls);
        if (job.wanted > 0)
            pool.run(&job);
        else
            job.work();
        pool.end();
    }
    if (job.failure) std::rethrow_exception(job.failure);
}

}  // namespace gkl_shim
