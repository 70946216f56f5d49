#include "output_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <random>

namespace gkl_shim::jni {
namespace {

constexpr int kMaxLinks = 40;  // the kernel's limit
const char kPrefix[] = ".gkl-shim.", kSuffix[] = ".partial";

// The folder of a path, with the slash at its end.
std::string folder_of(const std::string &path) {
    const size_t slash = path.rfind('/');
    return slash == std::string::npos ? "./" : path.substr(0, slash + 1);
}

// The number of the open descriptor that a path such as /dev/stdout names, or -1. Opening the path
// again would fail for a socket, and would truncate a file.
int own_descriptor(const std::string &path) {
    char folder[PATH_MAX];
    const std::string name = path.substr(path.rfind('/') + 1);
    const std::string own = "/proc/" + std::to_string(getpid()) + "/fd";
    const bool is_number = !name.empty() && name.find_first_not_of("0123456789") == name.npos;
    return is_number && realpath(folder_of(path).c_str(), folder) && folder == own
               ? atoi(name.c_str())
               : -1;
}

// Follows symbolic links until the path is not a link or names a descriptor. Returns false if there
// are too many.
bool follow_links(std::string *path) {
    for (int links = 0; links < kMaxLinks; links++) {
        char target[PATH_MAX];
        if (own_descriptor(*path) >= 0) return true;
        const ssize_t length = readlink(path->c_str(), target, sizeof target);
        if (length < 0) return true;
        if (length == 0 || size_t(length) == sizeof target) break;
        const std::string followed(target, size_t(length));
        *path = followed[0] == '/' ? followed : folder_of(*path) + followed;
    }
    errno = ELOOP;
    return false;
}

// Whether the name is one that OutputFile makes for an incomplete file.
bool is_partial(const char *name) {
    if (strncmp(name, kPrefix, sizeof kPrefix - 1) != 0) return false;
    name += sizeof kPrefix - 1;
    const size_t process = strspn(name, "0123456789");
    if (process == 0 || name[process] != '.') return false;
    name += process + 1;
    const size_t number = strspn(name, "0123456789abcdef");
    return number > 0 && strcmp(name + number, kSuffix) == 0;
}

// Locks an open file. Returns false if another process holds the lock. Returns `without_locks` if
// the file system has none.
bool lock(int descriptor, bool without_locks) {
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0 || (errno != EWOULDBLOCK && without_locks);
}

void remove_leftovers(const std::string &folder) {
    DIR *const entries = opendir(folder.c_str());
    if (!entries) return;
    while (const dirent *entry = readdir(entries)) {
        if (!is_partial(entry->d_name)) continue;
        const int descriptor =
            openat(dirfd(entries), entry->d_name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (descriptor < 0) continue;
        if (lock(descriptor, false)) unlinkat(dirfd(entries), entry->d_name, 0);
        close(descriptor);
    }
    closedir(entries);
}

bool write_all(int descriptor, const char *from, size_t left) {
    while (left > 0) {
        const ssize_t written = write(descriptor, from, left);
        if (written >= 0) {
            from += written;
            left -= size_t(written);
        } else if (errno == EAGAIN) {
            pollfd room = {descriptor, POLLOUT, 0};
            poll(&room, 1, -1);
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

bool copy_all(int from, int to) {
    char part[1 << 16];
    ssize_t length;
    for (off_t at = 0; (length = pread(from, part, sizeof part, at)) > 0; at += length)
        if (!write_all(to, part, size_t(length))) return false;
    return length == 0;
}

// Waits until a file is on the disk, unless the file system has nothing to wait for.
bool flush_to_disk(int descriptor) {
    return fsync(descriptor) == 0 || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP ||
           errno == EROFS;
}

// Whether an error of fsync() says that what was written is not all on the disk.
bool is_lost(int error) { return error == EIO || error == ENOSPC || error == EDQUOT; }

// Copies a file to a path, which exists or is made. A new file that stays incomplete is deleted.
// Sets *begun, which may be null, once an existing file is changed. Returns false and sets errno.
bool copy_to(const std::string &path, bool exists, int from, bool *begun) {
    // Links were followed before. A new one may be another user's.
    const int made = exists ? 0 : O_CREAT | O_EXCL;
    const int to = ::open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC | made, 0666);
    if (to < 0) return false;
    if (begun) *begun = true;
    const bool copied = ftruncate(to, 0) == 0 && copy_all(from, to) && flush_to_disk(to);
    const int error = errno;
    if (!copied && !exists) unlink(path.c_str());
    close(to);
    errno = error;
    return copied;
}

}  // namespace

bool OutputFile::open(const std::string &path, std::string *reason) {
    target_ = path;
    if (!follow_links(&target_)) return *reason = strerror(errno), false;
    const int own = own_descriptor(target_);
    if (own >= 0) {
        descriptor_ = fcntl(own, F_DUPFD_CLOEXEC, 0);
        if (descriptor_ < 0) *reason = strerror(errno);
        return descriptor_ >= 0;
    }
    // Opening a pipe without a reader fails at once instead of waiting for a reader. The path is
    // opened with its links, because the kernel refuses those that other users have made in /tmp.
    const int found = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    replaces_ = found >= 0;
    if (found < 0 && errno != ENOENT) {
        const int error = errno;
        const bool is_pipe = stat(target_.c_str(), &before_) == 0 && S_ISFIFO(before_.st_mode);
        *reason = error == ENXIO && is_pipe ? "it is a pipe that nothing reads from; start what "
                                              "reads first"
                                            : strerror(error);
        return false;
    }
    if (replaces_ && (fstat(found, &before_) != 0 || !S_ISREG(before_.st_mode))) {
        fcntl(found, F_SETFL, fcntl(found, F_GETFL) & ~O_NONBLOCK);
        descriptor_ = found;
        return true;
    }
    if (replaces_) close(found);
    if (make_partial(folder_of(target_))) return true;
    *reason = strerror(errno);
    return false;
}

bool OutputFile::make_partial(const std::string &folder) {
    remove_leftovers(folder);
    // The file is never readable by more users than the file that it replaces.
    const mode_t mode = replaces_ ? before_.st_mode & 0666 : 0666;
    // Random, so that no later process with this number replaces a .complete file.
    for (std::random_device random;;) {
        char name[64];
        snprintf(name, sizeof name, "%s%ld.%08x%s", kPrefix, long(getpid()), random(), kSuffix);
        const std::string partial = folder + name;
        const int made = ::open(partial.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (made < 0 && errno == EEXIST) continue;
        if (made < 0) return false;
        // Until it is locked, another process may take the file for a leftover and delete it.
        struct stat state;
        if (lock(made, true) && fstat(made, &state) == 0 && state.st_nlink > 0) {
            descriptor_ = made;
            partial_ = partial;
            return true;
        }
        close(made);
    }
}

std::string OutputFile::replaced_path() const {
    char folder[PATH_MAX];
    if (partial_.empty() || !realpath(folder_of(target_).c_str(), folder)) return "";
    return std::string(folder) + "/" + target_.substr(target_.rfind('/') + 1);
}

bool OutputFile::write(const char *from, size_t size, std::string *reason) {
    if (write_all(descriptor_, from, size)) return true;
    *reason = strerror(errno);
    return false;
}

bool OutputFile::finish(std::string *reason) {
    const bool finished = partial_.empty() || take_name(reason);
    discard();
    return finished;
}

bool OutputFile::take_name(std::string *reason) {
    if (replaces_) {
        // If the system refuses, the file keeps the owner of this process.
        if (fchown(descriptor_, before_.st_uid, before_.st_gid) != 0) errno = 0;
        fchmod(descriptor_, before_.st_mode & 07777);
    }
    const bool synced = flush_to_disk(descriptor_);
    if (!synced && is_lost(errno)) return *reason = strerror(errno), false;
    if (synced && rename(partial_.c_str(), target_.c_str()) == 0) {
        partial_.clear();
        return true;
    }
    return copy_to_target(reason);
}

bool OutputFile::copy_to_target(std::string *reason) {
    // No later process removes a file of this name.
    const std::string complete =
        partial_.substr(0, partial_.size() - (sizeof kSuffix - 1)) + ".complete";
    std::string kept = rename(partial_.c_str(), complete.c_str()) == 0 ? complete : partial_;
    partial_.clear();
    bool begun = false;
    if (copy_to(target_, replaces_, descriptor_, &begun)) {
        unlink(kept.c_str());
        return true;
    }
    *reason = strerror(errno);
    struct stat state;
    if (fstat(descriptor_, &state) != 0 || state.st_nlink == 0) return false;
    if (kept != complete && copy_to(complete, false, descriptor_, nullptr)) {
        unlink(kept.c_str());
        kept = complete;
    }
    *reason += begun && replaces_ ? "; this file may be incomplete now, and " : "; ";
    *reason += kept + " has the complete result";
    return false;
}

void OutputFile::discard() {
    if (!partial_.empty()) unlink(partial_.c_str());
    partial_.clear();
    if (descriptor_ >= 0) close(descriptor_);
    descriptor_ = -1;
}

}  // namespace gkl_shim::jni
