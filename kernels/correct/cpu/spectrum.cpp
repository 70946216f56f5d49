#include "correct/cpu/spectrum.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <new>

#include "common/error.h"

namespace gkl_shim {
namespace correct {
namespace {

constexpr uint64_t kLeastSize = 64;

// Room for a run of full slots at the end.
constexpr uint64_t kTail = 1 << 16;

// The size of a large page. A random access then rarely has to wait for the page tables.
constexpr size_t kPage = size_t(2) << 20;

}  // namespace

int valley(const std::vector<int64_t> &histogram) {
    const int last = int(histogram.size()) - 2;  // the last number stands for many counts
    int at = 1;
    while (at < last && histogram[size_t(at + 1)] < histogram[size_t(at)]) at++;
    // There is a peak behind the valley only if the numbers rise again, and not by a few k-mers.
    int64_t peak = 0;
    for (int k = at + 1; k <= last; k++) peak = std::max(peak, histogram[size_t(k)]);
    if (at == last || peak < histogram[size_t(at)] + histogram[size_t(at)] / 8 + 16) return 2;
    return std::max(at, 2);
}

void Spectrum::Free::operator()(uint32_t *slots) const { free(slots); }

void Spectrum::allocate(uint64_t count) {
    const size_t bytes = (size_t(count) * sizeof(uint32_t) + kPage - 1) / kPage * kPage;
    void *const memory = aligned_alloc(kPage, bytes);
    if (!memory) throw std::bad_alloc();
    madvise(memory, bytes, MADV_HUGEPAGE);
    memset(memory, 0, bytes);
    slots_.reset(static_cast<uint32_t *>(memory));
    count_ = count;
}

int64_t Spectrum::next_number() {
    static std::atomic<int64_t> next{0};
    return next++;
}

Spectrum::Spectrum(const Counter &counter, int threshold) : Spectrum() {
    k_ = counter.k();
    threshold_ = threshold;
    const auto solid = [threshold](uint64_t entry) {
        return int64_t(entry & kMostEntryCount) >= threshold;
    };
    for (int p = 0; p < kPartitions; p++)
        kmers_ += std::count_if(counter.kept(p).begin(), counter.kept(p).end(), solid);
    size_ = std::max(uint64_t(kmers_) * 5 / 3, kLeastSize);
    // All k-mers could lie in one run, in theory.
    allocate(size_ + std::min(uint64_t(kmers_), kTail) + 1);
    const SpectrumView spectrum = view();
    // In the order of hashes, so that the slots depend on the k-mers alone.
    uint64_t next = 0;
    for (int p = 0; p < kPartitions; p++)
        for (const uint64_t entry : counter.kept(p)) {
            if (!solid(entry)) continue;
            const uint64_t hash = counter.hash_of(p, entry);
            const uint64_t at = std::max(spectrum.home(hash), next);
            if (at + 1 >= count_) throw std::bad_alloc();
            next = at + 1;
            slots_[at] = uint32_t(hash) << kCountBits |
                         uint32_t(std::min<uint64_t>(entry & kMostEntryCount, kMostCount));
        }
}

std::unique_ptr<Spectrum> Spectrum::from_slots(int k, int threshold, uint64_t size,
                                               const uint32_t *slots, uint64_t count) {
    if (size < kLeastSize || size >= count || size > UINT32_MAX) {
        fail("a spectrum of %llu slots cannot have %llu", (unsigned long long)size,
             (unsigned long long)count);
        return nullptr;
    }
    if (slots[count - 1] != 0) {
        fail("the last slot of a spectrum must be empty");
        return nullptr;
    }
    std::unique_ptr<Spectrum> made(new Spectrum);
    made->k_ = k;
    made->threshold_ = threshold;
    made->size_ = size;
    made->allocate(count);
    memcpy(made->slots_.get(), slots, size_t(count) * sizeof *slots);
    for (uint64_t at = 0; at < count; at++) made->kmers_ += slots[at] != 0;
    return made;
}

double Spectrum::false_positive_rate() const {
    uint64_t compared = 0;
    for (uint64_t at = 0, run = 0; at < count_; at++) {
        run = slots_[at] ? run + 1 : 0;
        compared += run;
    }
    // A search that starts in a run compares the rest of it.
    return double(compared) / double(size_) / double(1 << kPrintBits);
}

}  // namespace correct
}  // namespace gkl_shim
