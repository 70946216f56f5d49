#include "recorder.h"

#include <set>

namespace gkl_shim::jni {
namespace {

constexpr size_t kFlushBytes = size_t(1) << 20;

struct Paths {
    std::mutex mutex;
    std::set<std::string> all;
};

// The paths of the recordings of this process. Never destroyed: Java threads may still record while
// the process ends.
Paths &paths() {
    static Paths *const paths = new Paths;
    return *paths;
}

}  // namespace

Recorder::~Recorder() {
    const std::lock_guard<std::mutex> lock(paths().mutex);
    paths().all.erase(path_);
}

bool Recorder::open() {
    std::string reason;
    recording_ = file_.open(name_, &reason);
    if (recording_) {
        std::string path = file_.replaced_path();
        const std::lock_guard<std::mutex> lock(paths().mutex);
        // Several may share a device, which has no path.
        if (path.empty() || paths().all.insert(path).second) {
            path_ = std::move(path);
        } else {
            recording_ = false;
            reason = "another setting names this file";
        }
    }
    if (!recording_) fail(reason);
    return recording_;
}

bool Recorder::add(const std::string &record) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!recording_) return false;
    pending_ += record;
    if (pending_.size() >= kFlushBytes && !flush()) return false;
    records_++;
    return true;
}

int64_t Recorder::finish() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!recording_) return -1;
    if (records_ == 0) {
        file_.discard();
    } else {
        std::string reason;
        if (!flush()) return -1;
        if (!file_.finish(&reason)) {
            fail(reason);
            return -1;
        }
    }
    recording_ = false;
    return records_;
}

bool Recorder::flush() {
    std::string reason;
    const bool written = file_.write(pending_.data(), pending_.size(), &reason);
    std::string().swap(pending_);  // frees its memory, too
    if (!written) fail(reason);
    return written;
}

void Recorder::fail(const std::string &reason) {
    log_warning(std::string(setting_) + ": cannot write " + name_ + ": " + reason +
                "; the run goes on without recording");
    file_.discard();
    std::string().swap(pending_);
    recording_ = false;
}

}  // namespace gkl_shim::jni
