// Prints the status and the message for each exception at the C ABI, and for exceptions that tasks
// of a parallel loop throw.
#include <stdio.h>
#include <unistd.h>

#include <atomic>
#include <new>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "common/error.h"
#include "common/thread_pool.h"

using namespace gkl_shim;

namespace {

template <class Work>
void show(const char *what, Work work) {
    const gkl_shim_status status = guarded([&] {
        work();
        return GKL_SHIM_OK;
    });
    printf("%s: %d%s%s\n", what, int(status), status ? ", " : "",
           status ? gkl_shim_last_error() : "");
}

enum { kTasks = 200, kThreads = 2 };

struct Loop {
    int64_t thrower;  // the task that throws
    std::atomic<int> begun{0}, under_way{0};

    void run() {
        parallel_for(kTasks, int64_t(1) << 40, kThreads, [this](int64_t k) {
            const struct UnderWay {
                explicit UnderWay(std::atomic<int> *count) : count(*count) { ++*count; }
                ~UnderWay() { --count; }
                std::atomic<int> &count;
            } here(&under_way);
            ++begun;
            usleep(1000);  // so that others join
            if (k == thrower) throw std::runtime_error("task " + std::to_string(k));
        });
    }
};

}  // namespace

int main() {
    show("bad_alloc", [] { throw std::bad_alloc(); });
    show("length_error", [] { std::vector<double>().resize(~size_t(0)); });
    show("system_error", [] { throw std::system_error(EAGAIN, std::generic_category(), "lock"); });
    show("number", [] { throw 7; });
    show("status", [] {
        fail("no such build");
        check(GKL_SHIM_EUNAVAILABLE);
    });
    for (const int64_t thrower : {0, 1, 50}) {
        Loop loop{thrower};
        show("loop", [&] { loop.run(); });
        printf("still running: %d; fewer than all begun: %d\n", int(loop.under_way),
               int(loop.begun < kTasks));
    }
    Loop loop{kTasks};
    show("loop", [&] { loop.run(); });
    printf("begun: %d\n", int(loop.begun));
}
