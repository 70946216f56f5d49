// What every engine's counter of k-mers has: the reads come in one pass or several, and afterwards
// there are a histogram and the k-mers that occur at least twice.
#pragma once

#include <stdint.h>

#include <algorithm>
#include <vector>

#include "correct/model.h"
#include "correct/reads.h"

namespace gkl_shim {
namespace correct {

// Sorts entries that are in the order of a table. They are nearly sorted, because an entry's place
// follows its hash.
inline void sort_entries(std::vector<uint64_t> *entries) {
    for (size_t k = 1; k < entries->size(); k++) {
        const uint64_t entry = (*entries)[k];
        size_t at = k;
        for (; at > 0 && (*entries)[at - 1] > entry; at--) (*entries)[at] = (*entries)[at - 1];
        (*entries)[at] = entry;
    }
}

class Counter {
   public:
    explicit Counter(int k) : hasher_(k), kept_(kPartitions), histogram_(kMostCount + 1) {}
    virtual ~Counter() = default;
    Counter(const Counter &) = delete;

    // Counts reads; they are valid. Throws std::bad_alloc.
    virtual void count(const Read *reads, int64_t count) = 0;

    // Ends a pass. Returns whether all partitions are counted; if not, all reads must be passed
    // again. Throws std::bad_alloc.
    virtual bool end_pass() = 0;

    int k() const { return hasher_.k; }

    // After the last pass: how many k-mers occur once, twice and so on. The last number includes
    // all k-mers that occur more often.
    const std::vector<int64_t> &histogram() const { return histogram_; }

    // The k-mers that occur at least twice, by partition, in the order of their hashes.
    const std::vector<uint64_t> &kept(int partition) const { return kept_[size_t(partition)]; }

    uint64_t hash_of(int partition, uint64_t entry) const {
        return uint64_t(partition) << rest_bits() | entry >> kEntryCountBits;
    }

   protected:
    // Bits of a hash without the partition's.
    int rest_bits() const { return 2 * k() - kPartitionBits; }

    // Takes over what another counter has counted.
    void take(Counter *other) {
        kept_.swap(other->kept_);
        histogram_.swap(other->histogram_);
    }

    const Hasher hasher_;
    std::vector<std::vector<uint64_t>> kept_;
    std::vector<int64_t> histogram_;
};

}  // namespace correct
}  // namespace gkl_shim
