// A file that appears under its name once it is complete.
#pragma once

#include <stddef.h>
#include <sys/stat.h>

#include <string>

namespace gkl_shim {
namespace jni {

// The rules are those of every output of gkl-shim (gkl_shim/_files.py). A device, a pipe that
// something reads from, and an open descriptor (/dev/stdout) are written to as they are. A symbolic
// link is followed. Anything else is written to .gkl-shim.<process>.<number>.partial in the file's
// folder, which takes the file's name, permissions and owner at the end. The process holds a lock
// on it; one without a lock was left by a process that was killed, and goes when the next is made.
//
// Functions that return a bool give the reason in words where it is false.
class OutputFile {
   public:
    OutputFile() = default;
    ~OutputFile() { discard(); }
    OutputFile(const OutputFile &) = delete;

    // Refuses at once what could not be written at the end.
    bool open(const std::string &path, std::string *reason);
    // Writes all of it; waits where a pipe is full.
    bool write(const char *from, size_t size, std::string *reason);
    // Closes the file, which gets its name.
    bool finish(std::string *reason);
    // Closes it; what was there under its name stays. Does nothing after finish().
    void discard();

   private:
    bool make_partial(const std::string &folder);
    bool take_name();
    bool copy_to_target();

    int descriptor_ = -1;
    std::string target_;   // links followed
    std::string partial_;  // empty where the target is written to as it is
    bool replaces_ = false;
    struct stat before_;  // of what it replaces
};

}  // namespace jni
}  // namespace gkl_shim
