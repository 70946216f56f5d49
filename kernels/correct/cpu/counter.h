// Counts the k-mers of reads, exactly and in bounded memory.
//
// The high bits of a k-mer's hash choose its partition. Reads are counted in rounds: first each
// thread appends the hashes of its reads to the partitions, then each partition's hashes are
// counted in the partition's table, which fits into the CPU's second cache. A round fetches each
// part of a table from memory only once, ahead of its use.
//
// The tables share the memory equally. If one needs more than its share, the last half of the
// partitions is dropped, so that the others may grow. The caller passes the same reads again, and
// the dropped partitions are counted then. After a pass, only k-mers that occur often are kept.
#pragma once

#include <stdint.h>

#include <atomic>
#include <vector>

#include "correct/spectrum/counter.h"

namespace gkl_shim::correct {

class CpuCounter : public Counter {
   public:
    CpuCounter(int k, int threads, int64_t memory_bytes, int least);

    void count(const Read *reads, int64_t count) override;
    bool end_pass() override;

   private:
    // Hashes lie in blocks, which all threads take from the same array.
    static constexpr size_t kBlock = 256, kBlockBytes = kBlock * sizeof(uint64_t);
    // Where one thread appends hashes.
    struct Writer {
        std::vector<std::vector<uint32_t>> blocks;  // of each partition
        std::vector<uint64_t *> next;               // of each partition: where its next hash goes
    };
    struct Table {
        Mapped entries;
        size_t used = 0;
        // The next hash to count.
        size_t writer = 0, block = 0, hash = 0;
    };

    // A round: the first two append hashes to blocks, the next three count them in tables.
    void append(Writer &writer, const Read &read);
    void add_block(Writer &writer, size_t partition);
    bool count_partition(int partition);
    const uint64_t *add(Table &table, const uint64_t *hash, const uint64_t *end) const;
    bool grow(Table &table) const;
    void count_some(const Read *reads, int64_t count);
    // Ends a round.
    void flush();
    // The end of a pass, for each table.
    void add_to_histogram(Table &table, Histogram *histogram);
    void keep(size_t partition, uint64_t from);
    // The most entries of a table.
    size_t share() const;

    const int threads_;
    const int64_t memory_bytes_;
    int first_ = 0, end_ = kPartitions;  // the partitions of this pass
    int64_t waiting_ = 0;                // the blocks hold at most this many hashes
    Mapped hashes_;
    std::atomic<uint32_t> used_blocks_{0};
    std::vector<Writer> writers_;
    std::vector<Table> tables_;
};

}  // namespace gkl_shim::correct
