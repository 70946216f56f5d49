#include "recorder.h"

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

bool Recorder::open() {
    std::string reason;
    recording_ = file_.open(name_, &reason);
    if (!recording_) fail(reason);
    return recording_;
}

void Recorder::add(const gkl_shim_pairhmm_batch &region, std::string *scratch) {
    if (!recording_) return;
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
    if (!recording_) return;
    pending_ += text;
    if (pending_.size() >= kFlushBytes && !flush()) return;
    regions_++;
    capped_ += capped;
}

int64_t Recorder::finish() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!recording_) return -1;
    if (regions_ == 0) {
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
    return regions_;
}

bool Recorder::flush() {
    std::string reason;
    const bool written = file_.write(pending_.data(), pending_.size(), &reason);
    pending_.clear();
    if (!written) fail(reason);
    return written;
}

void Recorder::fail(const std::string &reason) {
    log_warning("GKL_SHIM_RECORD: cannot write " + name_ + ": " + reason +
                "; the run goes on without recording");
    file_.discard();
    std::string().swap(pending_);
    recording_ = false;
}

}  // namespace jni
}  // namespace gkl_shim
