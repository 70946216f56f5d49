// Counts the k-mers of reads, exactly and in bounded memory.
//
// The high bits of a k-mer's hash choose its partition. Reads are counted in rounds: first each
// thread appends the hashes of its reads to the partitions, then each partition's hashes are
// counted in a table of its own, which fits into the CPU's second cache. So nearly no access to
// memory misses the cache.
//
// The tables share the memory equally. If one needs more than its share, the last half of the
// partitions is dropped, so that the others may grow. The caller passes the same reads again, and
// the dropped partitions are counted then. After a pass, only k-mers that occur often are kept.
#pragma once

#include <stdint.h>

#include <atomic>
#include <vector>

#include "correct/counter.h"

namespace gkl_shim {
namespace correct {

class CpuCounter : public Counter {
   public:
    CpuCounter(int k, int threads, int64_t memory_bytes, int least);

    void count(const Read *reads, int64_t count) override;
    bool end_pass() override;

   private:
    // Hashes lie in blocks, which all threads take from the same array. The pointer of a partition
    // is where a thread's next hash of it goes.
    static constexpr size_t kBlock = 256, kBlockBytes = kBlock * sizeof(uint64_t);
    struct Lane {
        std::vector<std::vector<uint32_t>> blocks;  // of each partition
        std::vector<uint64_t *> next;
    };
    struct Table {
        Mapped entries;
        size_t used = 0;
        // The next hash to count.
        size_t lane = 0, block = 0, hash = 0;
    };

    void count_some(const Read *reads, int64_t count);
    void append(Lane &lane, const Read &read);
    void full(Lane &lane, size_t partition);
    bool count_partition(int partition);
    bool add(Table &table, uint64_t entry) const;
    bool grow(Table &table) const;
    void flush();
    void count_counts(Table &table, std::vector<int64_t> *histogram);
    void keep(size_t partition, uint64_t from);
    size_t slot(uint64_t rest, size_t size) const {
        return size_t(entry_place(rest, rest_bits(), size));
    }
    // The most entries of a table.
    size_t share() const;

    const int threads_;
    const int64_t memory_bytes_;
    int first_ = 0, end_ = kPartitions;
    int64_t waiting_ = 0;  // the blocks hold at most this many hashes
    Mapped hashes_;
    std::atomic<uint32_t> used_blocks_{0};
    std::vector<Lane> lanes_;
    std::vector<Table> tables_;
};

}  // namespace correct
}  // namespace gkl_shim
