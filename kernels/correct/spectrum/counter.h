// What every engine's counter of k-mers has: the reads come in one pass or several, and afterwards
// there are a histogram and the k-mers that occur often.
#pragma once

#include <stdint.h>

#include <memory>
#include <vector>

#include "correct/model.h"
#include "correct/reads.h"
#include "correct/spectrum/mapped.h"
#include "correct/spectrum/threshold.h"

namespace gkl_shim::correct {

// Sorts entries that are in the order of a table. They are nearly sorted, because an entry's place
// follows its hash.
inline void sort_entries(uint64_t *entries, size_t count) {
    for (size_t k = 1; k < count; k++) {
        const uint64_t entry = entries[k];
        size_t at = k;
        for (; at > 0 && entries[at - 1] > entry; at--) entries[at] = entries[at - 1];
        entries[at] = entry;
    }
}

// The kept k-mers of a partition. Partitions may share memory, which goes back to the system once
// all of them are forgotten: while many threads run, that takes 40 us each time on some machines.
struct Kept {
    std::shared_ptr<Mapped> memory;
    uint64_t *entries = nullptr;
    size_t count = 0;

    uint64_t *begin() const { return entries; }
    uint64_t *end() const { return entries + count; }
    size_t size() const { return count; }
};

// K-mers that occur seldom are errors, and the more reads there are, the more errors occur in
// several of them. They are not kept, so that memory does not grow with the number of reads.
class Counter {
   public:
    // The value of `least` that stands for the valley of the histogram.
    static constexpr int kValley = 0;

    // `least`: how often a k-mer must occur to be kept.
    Counter(int k, int least)
        : hasher_(k), layout_(k), least_(least), kept_(kPartitions), histogram_(kMaxCount + 1) {}
    virtual ~Counter() = default;
    Counter(const Counter &) = delete;

    // Counts reads; they are valid. Throws std::bad_alloc.
    virtual void count(const Read *reads, int64_t count) = 0;

    // Ends a pass. Returns whether all partitions are counted; if not, all reads must be passed
    // again. Throws std::bad_alloc.
    virtual bool end_pass() = 0;

    int k() const { return hasher_.k; }
    const EntryLayout &layout() const { return layout_; }

    // After the last pass.
    const Histogram &histogram() const { return histogram_; }

    // After the last pass: k-mers that occur at least this often are kept, and perhaps others.
    int least() const { return least_ == kValley ? repeated_from(histogram_) : least_; }

    // The kept k-mers, by partition, in the order of their hashes.
    const Kept &kept(int partition) const { return kept_[size_t(partition)]; }
    // Frees them. set_taken() comes first.
    void forget(int partition) { kept_[size_t(partition)] = Kept(); }

    // Whether a spectrum takes the kept k-mers, or has them.
    bool taken() const { return taken_; }
    void set_taken() { taken_ = true; }

   protected:
    // Returns the least count to keep in the partitions that have been counted. Until the histogram
    // is complete, it covers only some partitions. They are a sample of all k-mers, so their
    // numbers are close to the final ones, and half of them is nearly always low enough.
    int least_to_keep(const Histogram &histogram, bool complete);
    // Returns whether enough k-mers were kept, after all partitions have been counted. If not, they
    // are counted again, and all k-mers that occur twice are kept meanwhile.
    bool finish_or_start_again();
    void start_again();

    // Takes over what another counter has counted.
    void adopt(Counter *other) {
        kept_.swap(other->kept_);
        histogram_.swap(other->histogram_);
    }

    const Hasher hasher_;
    const EntryLayout layout_;
    const int least_;
    std::vector<Kept> kept_;
    Histogram histogram_;

   private:
    int kept_from_ = 0;  // the most that least_to_keep() has returned
    bool keeps_all_repeated_ = false;
    bool taken_ = false;
};

}  // namespace gkl_shim::correct
