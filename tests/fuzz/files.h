// Functions that make a small tree of folders, files and links, and give its paths to the code that
// decides what may be loaded and to the code that writes a JVM's outputs.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "bridge.h"
#include "jni/recording/output_file.h"
#include "python_host/safe_file.h"

namespace {

// A new folder with what the input's first bytes describe: each entry is a folder, a file or a link
// at one of few places, so that links lead to each other.
class Tree {
   public:
    explicit Tree(Input *input) {
        root_ = std::filesystem::temp_directory_path() / "gkl-shim-fuzz.XXXXXX";
        require(mkdtemp(&root_[0]) != nullptr, "no temporary folder");
        for (int entries = input->byte() % 12; entries > 0; entries--) {
            const uint8_t kind = input->byte();
            const std::string place = path(input);
            switch (kind % 4) {
                case 0:
                    mkdir(place.c_str(), 0700);
                    break;
                case 1:
                    std::ofstream(place) << "old";
                    break;
                case 2:
                    if (symlink(path(input).c_str(), place.c_str()) != 0) continue;
                    break;
                default:
                    if (symlink(name(input).c_str(), place.c_str()) != 0) continue;
            }
            const mode_t modes[] = {0700, 0755, 0777, 01777, 0400, 0666, 0757, 0600};
            struct stat found;
            if (lstat(place.c_str(), &found) == 0 && !S_ISLNK(found.st_mode))
                chmod(place.c_str(), modes[kind / 4 % 8]);
        }
    }
    ~Tree() { std::filesystem::remove_all(root_); }

    // A path that begins in the folder. Two steps may go back, but none leaves the folder.
    std::string path(Input *input) const {
        std::string made = root_ + "/a/b";
        made.resize(made.size() - 2 * (input->byte() % 3));
        for (int parts = 1 + input->byte() % 3; parts > 0; parts--) made += "/" + name(input);
        return made;
    }

    bool has_partial_file() const {
        for (const auto &entry : std::filesystem::recursive_directory_iterator(root_))
            if (entry.path().filename().string().rfind(".gkl-shim.", 0) == 0) return true;
        return false;
    }

   private:
    static std::string name(Input *input) {
        const std::string names[] = {"a", "b", "c", ".", "d", "", "e/", std::string(255, 'f')};
        return names[input->byte() % 8];
    }

    std::string root_;
};

bool is_regular(const std::string &path) {
    struct stat found;
    return stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode);
}

// Empty if there is no file.
std::string content_of(const std::string &path) {
    if (!is_regular(path)) return "";
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Whether a file may be loaded, by several of its paths.
bool safe_file(uint8_t *bytes, int64_t size) {
    Input input(bytes, size);
    const Tree tree(&input);
    bool good = false;
    for (int k = 0; k < 4; k++) {
        const std::string path = tree.path(&input);
        std::string reason, reason_of_target;
        const bool safe = gkl_shim::is_safe_file(path, &reason);
        require(safe == reason.empty(), "a file is refused without a reason");
        char target[PATH_MAX];
        if (realpath(path.c_str(), target) == nullptr) {
            require(!safe, "a file that does not exist is safe");
            continue;
        }
        struct stat found;
        require(stat(target, &found) == 0, "a file is gone");
        require(!safe || (S_ISREG(found.st_mode) && !(found.st_mode & S_IWOTH)),
                "what others can change is safe");
        require(!safe || gkl_shim::is_safe_file(target, &reason_of_target),
                "a link to a file is safe, and the file is not");
        good = good || safe;
    }
    return good;
}

// Outputs that are written, and finished or discarded.
bool output_file(uint8_t *bytes, int64_t size) {
    Input input(bytes, size);
    const Tree tree(&input);
    bool good = false;
    for (int k = 0; k < 4; k++) {
        const std::string path = tree.path(&input), text = input.take(input.byte());
        const bool existed = is_regular(path), finish = input.byte() % 4 != 0;
        const std::string before = content_of(path);
        gkl_shim::jni::OutputFile file;
        std::string reason;
        const bool opened = file.open(path, &reason);
        if (opened) require(file.write(text.data(), text.size(), &reason), "a write fails");
        const bool finished = opened && finish && file.finish(&reason);
        file.discard();
        require(finished || !(opened && finish) || !reason.empty(), "a failure without a reason");
        require(opened || !reason.empty(), "a refusal without a reason");
        require(is_regular(path) == (finished || existed),
                "a file exists that should not, or the reverse");
        require(content_of(path) == (finished ? text : before), "a file has other bytes");
        require(!tree.has_partial_file(), "a partial file is left");
        good = good || finished;
    }
    return good;
}

const std::map<std::string, Target> kFiles = {{"safe-file", safe_file},
                                              {"output-file", output_file}};

}  // namespace
