#include "calls.h"

#include "jni/settings/log.h"

namespace gkl_shim::jni {

void Calls::open_recording() {
    log_setting_warnings();
    if (record_file_.empty()) return;
    recorder_.reset(new Recorder(record_file_, record_setting_));
    if (!recorder_->open()) recorder_.reset();
}

void Calls::log_extras() const {
    if (recorder_)
        log_line(title() + ": every " + texts_.record + " is recorded to " + recorder_->name());
    if (settings().verify > 0)
        log_line(
            title() +
            format(": one %s in %lld is verified ", texts_.call, (long long)settings().verify) +
            texts_.verified_by);
}

}  // namespace gkl_shim::jni
