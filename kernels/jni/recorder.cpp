#include "recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "settings.h"

namespace gkl_shim {
namespace jni {
namespace {

constexpr size_t kFlushBytes = size_t(1) << 20;
constexpr int kHighestPrintable = 93;

void append_bases(const uint8_t *bases, int64_t length, std::string *text) {
    for (int64_t i = 0; i < length; i++) {
        const uint8_t base = bases[i];
        const bool known = base == 'A' || base == 'C' || base == 'G' || base == 'T' || base == 'N';
        *text += known ? char(base) : 'A';
    }
}

// Returns how many qualities were above what can be printed.
int64_t append_quals(const uint8_t *quals, int64_t length, std::string *text) {
    int64_t capped = 0;
    for (int64_t i = 0; i < length; i++) {
        const int quality = quals[i] & 127;
        capped += quality > kHighestPrintable;
        *text += char((quality > kHighestPrintable ? kHighestPrintable : quality) + 33);
    }
    return capped;
}

}  // namespace

void Recorder::add(const gkl_shim_pairhmm_batch &region, std::string *scratch) {
    const int64_t reads = region.region_reads[1], haplotypes = region.region_haplotypes[1];
    std::string &text = *scratch;
    text = format("%lld %lld\n", (long long)reads, (long long)haplotypes);
    int64_t capped = 0;
    for (int64_t r = 0; r < reads; r++) {
        const int64_t start = region.read_offsets[r];
        const int64_t length = region.read_offsets[r + 1] - start;
        append_bases(region.read_bases + start, length, &text);
        for (const uint8_t *track : {region.base_quals, region.insertion_quals,
                                     region.deletion_quals, region.continuation_quals}) {
            text += ' ';
            capped += append_quals(track + start, length, &text);
        }
        text += '\n';
    }
    for (int64_t h = 0; h < haplotypes; h++) {
        const int64_t start = region.haplotype_offsets[h];
        append_bases(region.haplotype_bases + start, region.haplotype_offsets[h + 1] - start,
                     &text);
        text += '\n';
    }

    std::lock_guard<std::mutex> lock(mutex_);
    if (closed_ || (descriptor_ < 0 && !open())) return;
    pending_ += text;
    if (pending_.size() >= kFlushBytes && !flush()) return;
    regions_++;
    capped_ += capped;
}

int64_t Recorder::finish() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (closed_) return -1;
    if (descriptor_ >= 0) {
        if (!flush()) return -1;
        const int descriptor = descriptor_;
        descriptor_ = -1;
        if (close(descriptor) != 0 || rename(partial_.c_str(), file_.c_str()) != 0) {
            fail("cannot write");
            return -1;
        }
    }
    closed_ = true;
    return regions_;
}

bool Recorder::open() {
    // Two processes told the same name, or two copies of this library in one, do not mix.
    for (int copy = 0; descriptor_ < 0; copy++) {
        partial_ = format("%s.%ld%s.partial", file_.c_str(), long(getpid()),
                          copy == 0 ? "" : format("-%d", copy).c_str());
        descriptor_ = ::open(partial_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor_ < 0 && errno != EEXIST) {
            const int reason = errno;
            partial_.clear();
            errno = reason;
            fail("cannot create");
            return false;
        }
    }
    return true;
}

bool Recorder::flush() {
    const char *from = pending_.data();
    for (size_t left = pending_.size(); left > 0;) {
        const ssize_t written = write(descriptor_, from, left);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) {
            fail("cannot write");
            return false;
        }
        from += written;
        left -= size_t(written);
    }
    pending_.clear();
    return true;
}

void Recorder::fail(const char *what) {
    const int reason = errno;
    log_warning(format("GKL_SHIM_RECORD: %s %s: %s; the run goes on without recording", what,
                       file_.c_str(), strerror(reason)));
    if (descriptor_ >= 0) close(descriptor_);
    descriptor_ = -1;
    if (!partial_.empty()) unlink(partial_.c_str());
    std::string().swap(pending_);
    closed_ = true;
}

}  // namespace jni
}  // namespace gkl_shim
