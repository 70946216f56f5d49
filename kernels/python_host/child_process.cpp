#include "python_host/child_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>

extern char **environ;

namespace gkl_shim {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kPartBytes = 4096;

// The running child, if any. It is killed when this process ends.
std::atomic<pid_t> running{0};

// The child leads a process group, so this also ends everything that it has started.
void end_running() {
    const pid_t child = running.load();
    if (child > 0) kill(-child, SIGKILL);
}

int start(const char *const *command, int output, pid_t *child) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    // If this process has closed its standard streams, `output` may have the number of one. So it
    // is copied to 1 and 2 before 0 is opened.
    posix_spawn_file_actions_adddup2(&actions, output, 1);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
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

// Reads to the end of the output. Returns false if it is too long or the time is up.
bool read_all(int output, size_t most_bytes, Clock::time_point end, std::string *text) {
    while (text->size() <= most_bytes) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
        pollfd from = {output, POLLIN, 0};
        if (left <= 0) return false;
        if (poll(&from, 1, int(left)) <= 0) continue;
        char part[kPartBytes];
        const ssize_t n = read(output, part, sizeof part);
        if (n == 0) return true;
        if (n > 0) text->append(part, size_t(n));
    }
    return false;
}

}  // namespace

bool output_of(const char *const *command, size_t most_bytes, double seconds, std::string *text,
               std::string *reason) {
    static const int registered = atexit(end_running);
    (void)registered;
    // read_all() then needs no memory, so the child does not outlive this call.
    text->clear();
    text->reserve(most_bytes + kPartBytes);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return *reason = strerror(errno), false;
    pid_t child;
    const int failed = start(command, ends[1], &child);
    close(ends[1]);
    bool complete = false;
    if (!failed) {
        running = child;
        const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                            std::chrono::duration<double>(seconds));
        complete = read_all(ends[0], most_bytes, end, text);
        end_running();
        while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
        }
        running = 0;
    }
    close(ends[0]);
    if (failed)
        *reason = strerror(failed);
    else if (!complete)
        *reason = text->size() > most_bytes
                      ? "it printed more than " + std::to_string(most_bytes) + " bytes"
                      : "it did not end within " + std::to_string(int(seconds)) + " seconds";
    return complete;
}

}  // namespace gkl_shim
