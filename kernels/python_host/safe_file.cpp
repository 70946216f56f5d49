#include "python_host/safe_file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gkl_shim {
namespace {

constexpr int kMaxLinks = 40;  // as the kernel's
const char kDefaultPath[] = "/usr/local/bin:/usr/bin:/bin";

bool is_ours(const struct stat &file) { return file.st_uid == 0 || file.st_uid == geteuid(); }

bool is_program(const std::string &path) {
    struct stat found;
    return stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) &&
           access(path.c_str(), X_OK) == 0;
}

// Removes the text before the separator from `rest`, and returns it.
std::string take(std::string *rest, char separator) {
    const size_t end = rest->find(separator);
    const std::string first = rest->substr(0, end);
    *rest = end == std::string::npos ? "" : rest->substr(end + 1);
    return first;
}

}  // namespace

bool is_safe_file(const std::string &path, std::string *reason) {
    if (path.empty() || path[0] != '/') return *reason = "it is not an absolute path", false;
    std::string reached;  // without links; empty for the root
    std::string rest = path.substr(1);
    struct stat found;
    // The steps below would take the path of a file followed by ".." or a slash.
    if (stat(path.c_str(), &found) != 0) return *reason = strerror(errno), false;
    for (int links = 0; !rest.empty();) {
        const std::string part = take(&rest, '/');
        if (part.empty() || part == ".") continue;
        if (part == "..") {
            reached = reached.substr(0, reached.rfind('/') + 1);
            if (!reached.empty()) reached.pop_back();
            continue;
        }
        struct stat folder;
        const std::string name = reached + "/" + part;
        if (stat(reached.empty() ? "/" : reached.c_str(), &folder) != 0 ||
            lstat(name.c_str(), &found) != 0)
            return *reason = strerror(errno), false;
        if (folder.st_mode & S_IWOTH) {
            const std::string place = reached.empty() ? "/" : reached;
            if (!(folder.st_mode & S_ISVTX)) return *reason = "others can write to " + place, false;
            if (!is_ours(folder)) return *reason = place + " belongs to another user", false;
            if (!is_ours(found)) return *reason = name + " belongs to another user", false;
        }
        if (S_ISLNK(found.st_mode)) {
            char target[PATH_MAX];
            const ssize_t length = readlink(name.c_str(), target, sizeof target);
            if (length <= 0 || size_t(length) == sizeof target || ++links > kMaxLinks)
                return *reason = strerror(ELOOP), false;
            rest = std::string(target, size_t(length)) + "/" + rest;
            if (target[0] == '/') reached.clear();
        } else {
            reached = name;
        }
    }
    if (stat(reached.empty() ? "/" : reached.c_str(), &found) != 0)
        return *reason = strerror(errno), false;
    if (!S_ISREG(found.st_mode)) return *reason = "it is not a file", false;
    if (found.st_mode & S_IWOTH) return *reason = "others can write to " + reached, false;
    return true;
}

bool find_program(const std::string &name, std::string *path, std::string *reason) {
    *path = name;
    if (name.find('/') == std::string::npos) {
        const char *const set = getenv("PATH");
        std::string entries = set ? set : kDefaultPath;
        do {
            if (entries.empty()) {
                *reason = "it is not in a folder that PATH names by an absolute path";
                return false;
            }
            *path = take(&entries, ':') + "/" + name;
        } while ((*path)[0] != '/' || !is_program(*path));
    }
    return is_safe_file(*path, reason);
}

}  // namespace gkl_shim
