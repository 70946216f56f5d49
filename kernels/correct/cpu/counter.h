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

#include "correct/counter.h"

namespace gkl_shim {
namespace correct {

class CpuCounter : public Counter {
   public:
    CpuCounter(int k, int threads, int64_t memory_bytes);

    void count(const Read *reads, int64_t count) override;
    bool end_pass() override;

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
    void keep(size_t partition, std::vector<int64_t> *histogram);
    size_t slot(uint64_t rest, size_t size) const {
        return size_t(entry_place(rest, rest_bits(), size));
    }

    const int threads_;
    const int64_t memory_bytes_;
    int first_ = 0, end_ = kPartitions;
    int64_t waiting_ = 0;  // hashes in the blocks
    std::vector<std::unique_ptr<Lane>> lanes_;
    std::vector<Table> tables_;
};

}  // namespace correct
}  // namespace gkl_shim
