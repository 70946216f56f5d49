#include "common/thread_pool.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <new>

#include "common/cpu.h"

namespace gkl_shim {
namespace {

// One parallel_for under way; it lives on its caller's stack and in the pool's list.
struct Job {
    const int64_t count;
    void (*const task)(void *, int64_t);
    void *const context;
    int wanted;  // workers that may still join
    std::atomic<int64_t> next{0};
    int working = 0;  // workers that have joined and not left
    Job *following = nullptr;
    std::condition_variable left;

    Job(int64_t count, void (*task)(void *, int64_t), void *context, int wanted)
        : count(count), task(task), context(context), wanted(wanted) {}

    bool open() const { return wanted > 0 && next.load(std::memory_order_relaxed) < count; }

    void work() {
        for (int64_t k; (k = next.fetch_add(1, std::memory_order_relaxed)) < count;)
            task(context, k);
    }
};

class Pool {
   public:
    void run(Job *job) {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            start_workers(job->wanted);
            job->following = jobs_;
            jobs_ = job;
        }
        // One wakes the next: waking costs a system call, and the caller has work to do.
        work_.notify_one();
        job->work();
        std::unique_lock<std::mutex> lock(mutex_);
        for (Job **link = &jobs_; *link; link = &(*link)->following)
            if (*link == job) {
                *link = job->following;
                break;
            }
        job->left.wait(lock, [job] { return job->working == 0; });
    }

   private:
    void start_workers(int wanted) {
        const int most = usable_cpus_ - 1;
        while (workers_ < std::min(wanted, most)) {
            // Signals belong to the program's own threads (the JVM's, Python's).
            sigset_t all, before;
            sigfillset(&all);
            pthread_sigmask(SIG_SETMASK, &all, &before);
            pthread_attr_t attributes;
            pthread_attr_init(&attributes);
            pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
            pthread_t thread;
            const int failed = pthread_create(&thread, &attributes, serve, this);
            pthread_attr_destroy(&attributes);
            pthread_sigmask(SIG_SETMASK, &before, nullptr);
            if (failed) return;
            workers_++;
        }
    }

    static void *serve(void *pool) {
        static_cast<Pool *>(pool)->serve();
        return nullptr;
    }

    void serve() {
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            Job *job = nullptr;
            work_.wait(lock, [this, &job] {
                for (job = jobs_; job; job = job->following)
                    if (job->open()) return true;
                return false;
            });
            job->wanted--;
            job->working++;
            const bool more = job->open();
            lock.unlock();
            if (more) work_.notify_one();
            job->work();
            lock.lock();
            if (--job->working == 0) job->left.notify_one();
        }
    }

    const int usable_cpus_ = usable_cpus();
    std::mutex mutex_;
    std::condition_variable work_;
    Job *jobs_ = nullptr;
    int workers_ = 0;
};

// Never destroyed: at exit its threads may still sleep on it.
alignas(Pool) unsigned char pool_memory[sizeof(Pool)];
Pool *pool = nullptr;
std::once_flag pool_made;

void make_pool() { pool = new (pool_memory) Pool; }

Pool &the_pool() {
    std::call_once(pool_made, [] {
        make_pool();
        // A forked child has none of the threads, and perhaps a locked mutex: it starts anew.
        pthread_atfork(nullptr, nullptr, make_pool);
    });
    return *pool;
}

}  // namespace

void parallel_for(int64_t count, int threads, void (*task)(void *, int64_t), void *context) {
    const int wanted = int(std::min<int64_t>(threads, count)) - 1;
    Job job(count, task, context, wanted);
    if (wanted > 0)
        the_pool().run(&job);
    else
        job.work();
}

}  // namespace gkl_shim
