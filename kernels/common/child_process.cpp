#include "common/child_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>

extern char **environ;

namespace gkl_shim {
namespace {

constexpr size_t kMostComplaint = 4096, kMostWords = 200;
constexpr int kLookMilliseconds = 10;

using Clock = std::chrono::steady_clock;

// The read end and the write end of a pipe.
class Pipe {
   public:
    Pipe() {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0) return;
        // If standard streams of this process are closed, the pipe may get their numbers. The
        // child's streams need these numbers, so the pipe gets others.
        for (int k = 0; k < 2; k++) {
            ends_[k] = fcntl(ends[k], F_DUPFD_CLOEXEC, 3);
            ::close(ends[k]);
        }
    }
    ~Pipe() {
        for (int k = 0; k < 2; k++) close(k);
    }
    Pipe(const Pipe &) = delete;

    bool works() const { return ends_[0] >= 0 && ends_[1] >= 0; }
    int end(int k) const { return ends_[k]; }
    void close(int k) {
        if (ends_[k] >= 0) ::close(ends_[k]);
        ends_[k] = -1;
    }

   private:
    int ends_[2] = {-1, -1};
};

// The running child, if any. It is killed when this process ends.
std::atomic<pid_t> running{0};

// The child leads a process group, so this also ends everything that it has started.
void end_running() {
    const pid_t child = running.load();
    if (child > 0) kill(-child, SIGKILL);
}

int start(const char *const *command, const Pipe &out, const Pipe &error, pid_t *child) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out.end(1), 1);
    posix_spawn_file_actions_adddup2(&actions, error.end(1), 2);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    const int failed = posix_spawn(child, command[0], &actions, &attributes,
                                   const_cast<char *const *>(command), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return failed;
}

// Reads both streams to their ends, and keeps the last bytes of the second. Returns false if the
// first is too long or the time is up.
bool read_both(const Pipe &out, const Pipe &error, size_t most_bytes, Clock::time_point end,
               std::string *text, std::string *complaint) {
    pollfd from[2] = {{out.end(0), POLLIN, 0}, {error.end(0), POLLIN, 0}};
    for (int open = 2; open > 0;) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
        if (left <= 0) return false;
        if (poll(from, 2, int(left)) < 0 && errno != EINTR) return false;
        for (int k = 0; k < 2; k++) {
            if (!from[k].revents) continue;
            char part[4096];
            const ssize_t n = read(from[k].fd, part, sizeof part);
            if (n > 0) {
                (k == 0 ? text : complaint)->append(part, size_t(n));
            } else if (n == 0 || errno != EINTR) {
                from[k].fd = -1;  // poll passes over it from here on
                from[k].revents = 0;
                open--;
            }
        }
        if (text->size() > most_bytes) return false;
        if (complaint->size() > kMostComplaint)
            complaint->erase(0, complaint->size() - kMostComplaint);
    }
    return true;
}

// Waits until the child ends. Returns false if the time is up before that.
bool wait_for_end(pid_t child, Clock::time_point end, int *status) {
    for (;;) {
        const pid_t ended = waitpid(child, status, WNOHANG);
        if (ended == child || (ended < 0 && errno != EINTR)) return true;
        if (Clock::now() >= end) return false;
        poll(nullptr, 0, kLookMilliseconds);
    }
}

std::string last_line(std::string text) {
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text.substr(text.rfind('\n') + 1).substr(0, kMostWords);
}

}  // namespace

bool output_of(const char *const *command, size_t most_bytes, double seconds, std::string *text,
               std::string *reason) {
    Pipe out, error;
    if (!out.works() || !error.works()) return *reason = strerror(errno), false;
    static const int registered = atexit(end_running);
    (void)registered;
    pid_t child;
    if (const int failed = start(command, out, error, &child))
        return *reason = strerror(failed), false;
    running = child;
    out.close(1), error.close(1);
    const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double>(seconds));
    std::string complaint;
    text->clear();
    int status = 0;
    const bool ended = read_both(out, error, most_bytes, end, text, &complaint) &&
                       wait_for_end(child, end, &status);
    if (!ended) {
        end_running();
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
    }
    running = 0;
    if (text->size() > most_bytes) {
        *reason = "it printed more than " + std::to_string(most_bytes) + " bytes";
    } else if (!ended) {
        *reason = "it did not end within " + std::to_string(int(seconds)) + " seconds";
    } else if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        return true;
    } else if (WIFSIGNALED(status)) {
        *reason = "it was ended by signal " + std::to_string(WTERMSIG(status));
    } else {
        *reason = last_line(complaint);
        if (reason->empty())
            *reason = "it ended with exit code " + std::to_string(WEXITSTATUS(status));
    }
    return false;
}

}  // namespace gkl_shim
