// Counts the k-mers of reads, exactly and in bounded memory.
//
// The high bits of a k-mer's hash choose its partition. Reads are counted in rounds: first each
// thread appends the hashes of its reads to the partitions, then each partition's hashes are
// counted in a table of its own, which fits into the CPU's second cache. So nearly no access to
// memory misses the cache.
//
// If the tables outgrow the memory, the last half of the partitions is dropped. The caller passes
// the same reads again, and the dropped partitions are counted then. After a pass, only k-mers that
// occur at least twice are kept.
#pragma once

#include <stdint.h>

#include <memory>
#include <vector>

#include "correct/cpu/reads.h"
#include "correct/model.h"

namespace gkl_shim {
namespace correct {

constexpr int kPartitionBits = 9, kPartitions = 1 << kPartitionBits;

// An entry of a table is the hash without the partition's bits, above the count.
constexpr int kEntryCountBits = 64 - (2 * kMostK - kPartitionBits);
constexpr uint64_t kMostEntryCount = (uint64_t(1) << kEntryCountBits) - 1;

class Counter {
   public:
    Counter(int k, int threads, int64_t memory_bytes);

    int k() const { return hasher_.k; }

    // Counts reads; they are valid. Throws std::bad_alloc.
    void count(const Read *reads, int64_t count);

    // Ends a pass. Returns whether all partitions are counted; if not, all reads must be passed
    // again. Throws std::bad_alloc.
    bool end_pass();

    // After the last pass: how many k-mers occur once, twice and so on. The last number includes
    // all k-mers that occur more often.
    const std::vector<int64_t> &histogram() const { return histogram_; }

    // The k-mers that occur at least twice, by partition.
    const std::vector<uint64_t> &kept(int partition) const { return kept_[size_t(partition)]; }

    uint64_t hash_of(int partition, uint64_t entry) const {
        return uint64_t(partition) << (2 * k() - kPartitionBits) | entry >> kEntryCountBits;
    }

   private:
    // Hashes of one thread, in blocks. The pointer of a partition is where its next hash goes.
    static constexpr size_t kBlock = 256;
    struct alignas(kBlock * sizeof(uint64_t)) Block {
        uint64_t hashes[kBlock];
    };
    struct Lane {
        std::vector<Block *> blocks;                    // all that were ever allocated
        size_t used = 0;                                // blocks in use
        std::vector<std::vector<uint32_t>> partitions;  // the blocks of each partition
        std::vector<uint64_t *> next;

        ~Lane();
        Block *take();
    };
    struct Table {
        std::vector<uint64_t> entries;
        size_t used = 0;
    };

    void append(Lane &lane, const Read &read);
    void full(Lane &lane, size_t partition);
    void count_partition(int partition);
    void add(Table &table, uint64_t entry);
    void flush();
    size_t slot(uint64_t rest, size_t size) const {
        return size_t((rest << (64 - rest_bits_) >> 32) * size >> 32);
    }

    const Hasher hasher_;
    const int threads_;
    const int64_t memory_bytes_;
    const int rest_bits_;  // of a hash, without the partition's
    int first_ = 0, end_ = kPartitions;
    int64_t waiting_ = 0;  // hashes in the blocks
    std::vector<std::unique_ptr<Lane>> lanes_;
    std::vector<Table> tables_;
    std::vector<std::vector<uint64_t>> kept_;
    std::vector<int64_t> histogram_;
};

}  // namespace correct
}  // namespace gkl_shim
