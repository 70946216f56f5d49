// A file that appears under its name only when it is complete.
#pragma once

#include <stddef.h>
#include <sys/stat.h>

#include <string>

namespace gkl_shim::jni {

// The rules are those of all output of gkl-shim (gkl_shim/common/_output_files.py). A device, a
// pipe with a reader and an open descriptor (/dev/stdout) are written to directly. Symbolic links
// are followed. Everything else is written to .gkl-shim.<process>.<random>.partial in the file's
// folder, which is renamed at the end and takes the permissions and owner of the file it replaces.
// The process locks the partial file. One without a lock was left by a process that was killed; it
// is deleted when the next one is made. Where the file system refuses to rename, the file gets a
// copy; meanwhile the partial file's name ends in .complete, and it is kept if the copy fails.
//
// Functions that return false set *reason to a description of the failure.
class OutputFile {
   public:
    OutputFile() = default;
    ~OutputFile() { discard(); }
    OutputFile(const OutputFile &) = delete;

    // Fails at once if the file could not be written at the end.
    bool open(const std::string &path, std::string *reason);
    // The path that the file will have, without links; empty if it is written to directly.
    std::string replaced_path() const;
    // Writes all bytes. Waits while a pipe is full.
    bool write(const char *from, size_t size, std::string *reason);
    // Closes the file and renames it.
    bool finish(std::string *reason);
    // Closes and deletes the partial file, and leaves the target alone. Does nothing after
    // finish().
    void discard();

   private:
    bool make_partial(const std::string &folder);
    bool take_name(std::string *reason);
    bool copy_to_target(std::string *reason);

    int descriptor_ = -1;
    std::string target_;   // with links followed
    std::string partial_;  // empty if the target is written to directly
    bool replaces_ = false;
    struct stat before_;  // of the file that it replaces
};

}  // namespace gkl_shim::jni
