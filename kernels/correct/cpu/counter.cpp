#include "correct/cpu/counter.h"

#include <algorithm>
#include <utility>

#include "common/thread_pool.h"
#include "correct/on_cpu.h"

namespace gkl_shim::correct {
namespace {

// Hashes that wait for a round. They take 8 bytes each.
constexpr int64_t kRound = int64_t(1) << 24;

// Reads whose hashes one task appends.
constexpr int64_t kReadsAppended = 4096;

// The least size of a table: a page.
constexpr size_t kFirstEntries = 512;

// A table is enlarged by half, before more than 7 of 10 entries are used.
constexpr bool is_full(size_t used, size_t size) { return used * 10 >= size * 7; }
constexpr size_t larger(size_t size) { return size + size / 2; }

// How many hashes ahead an entry is prefetched. A table has left the cache since the last round.
constexpr int kAhead = 16;

// The approximate time of a thread for a base, for a hash, and for an entry of a table.
constexpr int64_t kAppendNanoseconds = 4, kCountNanoseconds = 4, kKeepNanoseconds = 1;

}  // namespace

CpuCounter::CpuCounter(int k, int threads, int64_t memory_bytes, int least)
    : Counter(k, least),
      threads_(threads),
      memory_bytes_(memory_bytes),
      writers_(size_t(threads)),
      tables_(kPartitions) {
    for (Writer &writer : writers_) {
        writer.blocks.resize(kPartitions);
        writer.next.resize(kPartitions);
    }
}

void CpuCounter::add_block(Writer &writer, size_t partition) {
    const uint32_t block = used_blocks_++;
    writer.blocks[partition].push_back(block);
    writer.next[partition] = hashes_.begin() + size_t(block) * kBlock;
}

void CpuCounter::append(Writer &writer, const Read &read) {
    const int k = hasher_.k;
    const uint64_t first = uint64_t(first_), end = uint64_t(end_);
    uint64_t **const next = writer.next.data();
    Roller roller;
    int bases = 0;
    for (int at = 0; at < read.length; at++) {
        const uint32_t code = code_of(read.letters[at]);
        if (code == kUnknown) {
            bases = 0;
            continue;
        }
        roller.push(hasher_, code);
        if (++bases < k) continue;
        const uint64_t hash = hasher_.hash(roller.canonical());
        const uint64_t partition = layout_.partition(hash);
        if (partition - first >= end - first) continue;
        // There is no block yet, or it is full: blocks and their ends are aligned alike.
        if (reinterpret_cast<uintptr_t>(next[partition]) % kBlockBytes == 0)
            add_block(writer, size_t(partition));
        *next[partition]++ = hash;
    }
}

void CpuCounter::count(const Read *reads, int64_t count) {
    // Full blocks hold a round's hashes, and each partition of a writer may have another block.
    if (hashes_.empty())
        hashes_ =
            Mapped::in_large_pages(size_t(kRound) + writers_.size() * size_t(kPartitions) * kBlock);
    for (int64_t begin = 0, end = 0; begin < count; begin = end) {
        while (end < count && reads[end].length <= kRound) end++;
        count_some(reads + begin, end - begin);
        if (end == count) return;
        // A read that is too long for a round. Its pieces have all k-mers.
        const int32_t length = reads[end].length, step = int32_t(kRound) - hasher_.k + 1;
        for (int32_t at = 0; at < length; at += step) {
            const Read piece = {reads[end].letters + at, nullptr,
                                int32_t(std::min<int64_t>(kRound, length - at))};
            count_some(&piece, 1);
        }
        end++;
    }
}

// Counts reads that are not longer than a round.
void CpuCounter::count_some(const Read *reads, int64_t count) {
    for (int64_t begin = 0; begin < count;) {
        // As many reads as the round has room for.
        int64_t end = begin, bases = 0;
        while (end < count && waiting_ + bases + reads[end].length <= kRound)
            bases += reads[end++].length;
        const int64_t writers = std::min<int64_t>(threads_, (end - begin) / kReadsAppended + 1);
        parallel_for(writers, bases * kAppendNanoseconds, threads_, [&](int64_t t) {
            Writer &writer = writers_[size_t(t)];
            const int64_t last = begin + (end - begin) * (t + 1) / writers;
            for (int64_t k = begin + (end - begin) * t / writers; k < last; k++)
                append(writer, reads[k]);
        });
        waiting_ += bases;
        begin = end;
        if (begin < count) flush();
    }
}

size_t CpuCounter::share() const {
    if (end_ - first_ == 1) return SIZE_MAX;
    // A thread that enlarges a table has a copy of it.
    return size_t(memory_bytes_) / sizeof(uint64_t) / size_t(end_ - first_ + threads_);
}

void CpuCounter::flush() {
    for (Table &table : tables_) table.writer = table.block = table.hash = 0;
    for (;;) {
        std::atomic<bool> lacks_room{false};
        parallel_for(end_ - first_, waiting_ * kCountNanoseconds, threads_, [&](int64_t k) {
            if (!count_partition(first_ + int(k))) lacks_room = true;
        });
        if (!lacks_room) break;
        end_ -= (end_ - first_) / 2;
        for (size_t p = size_t(end_); p < kPartitions; p++) tables_[p] = Table();
    }
    waiting_ = 0;
    used_blocks_ = 0;
    for (Writer &writer : writers_) {
        for (auto &blocks : writer.blocks) blocks.clear();
        std::fill(writer.next.begin(), writer.next.end(), nullptr);
    }
}

// Counts the hashes of a partition from where the table is. Returns false if it needs more memory
// than its share; the rest of the hashes can be counted later.
bool CpuCounter::count_partition(int partition) {
    Table &table = tables_[size_t(partition)];
    for (; table.writer < writers_.size(); table.writer++, table.block = 0) {
        const Writer &writer = writers_[table.writer];
        const auto &blocks = writer.blocks[size_t(partition)];
        for (; table.block < blocks.size(); table.block++, table.hash = 0) {
            const uint64_t *const block = hashes_.begin() + size_t(blocks[table.block]) * kBlock;
            const uint64_t *const end =
                table.block + 1 < blocks.size() ? block + kBlock : writer.next[size_t(partition)];
            for (const uint64_t *hash = block + table.hash; hash < end;) {
                if (is_full(table.used, table.entries.size()) && !grow(table)) {
                    table.hash = size_t(hash - block);
                    return false;
                }
                hash = add(table, hash, end);
            }
        }
    }
    return true;
}

// Counts hashes until the table is full. Returns the end of those that it counted.
const uint64_t *CpuCounter::add(Table &table, const uint64_t *hash, const uint64_t *end) const {
    const size_t size = table.entries.size();
    uint64_t *const entries = table.entries.begin();
    const EntryLayout layout = layout_;
    size_t used = table.used;
    for (; hash < end && !is_full(used, size); hash++) {
        if (end - hash > kAhead)
            __builtin_prefetch(entries + layout.place(layout.first(hash[kAhead]), size), 1);
        const uint64_t entry = layout.first(*hash);
        for (size_t at = layout.place(entry, size);;) {
            const uint64_t here = entries[at];
            if (here == 0) {
                entries[at] = entry;
                used++;
                break;
            }
            if (layout.same_kmer(here, entry)) {
                entries[at] = here + (layout.count(here) < layout.max_count());
                break;
            }
            if (++at == size) at = 0;
        }
    }
    table.used = used;
    return hash;
}

// Makes or enlarges a table. Returns false if its share of the memory is too small.
bool CpuCounter::grow(Table &table) const {
    const size_t before = table.entries.size();
    const size_t size = std::min(std::max(larger(before), kFirstEntries), share());
    if (size <= before || size < kFirstEntries) return false;
    // The table keeps its pages, because new ones are slow to use for the first time.
    const std::vector<uint64_t> old(table.entries.begin(), table.entries.end());
    table.entries.grow(size);
    uint64_t *const entries = table.entries.begin();
    std::fill(entries, entries + before, 0);
    for (const uint64_t entry : old) {
        if (entry == 0) continue;
        size_t at = layout_.place(entry, size);
        while (entries[at] != 0)
            if (++at == size) at = 0;
        entries[at] = entry;
    }
    return true;
}

bool CpuCounter::end_pass() {
    flush();
    hashes_ = Mapped();
    std::vector<Histogram> histograms(kPartitions);  // of each partition
    int64_t entries = 0;
    for (const Table &table : tables_) entries += int64_t(table.entries.size());
    parallel_for(end_ - first_, entries * kKeepNanoseconds, threads_, [&](int64_t k) {
        const size_t p = size_t(first_ + k);
        add_to_histogram(tables_[p], &histograms[p]);
    });
    for (const Histogram &histogram : histograms)
        for (size_t count = 0; count < histogram.size(); count++)
            histogram_[count] += histogram[count];
    const uint64_t from = uint64_t(least_to_keep(histogram_, end_ == kPartitions));
    parallel_for(end_ - first_, entries * kKeepNanoseconds, threads_,
                 [&](int64_t k) { keep(size_t(first_ + k), from); });
    first_ = end_;
    end_ = kPartitions;
    if (first_ < kPartitions) return false;
    if (finish_or_start_again()) return true;
    first_ = 0;
    return false;
}

// Adds the counts of a table to a histogram. Drops the k-mers that occur once: most do.
void CpuCounter::add_to_histogram(Table &table, Histogram *histogram) {
    histogram->resize(kMaxCount + 1);
    uint64_t *kept = table.entries.begin();
    for (const uint64_t entry : table.entries) {
        if (entry == 0) continue;
        const uint64_t count = layout_.count(entry);
        (*histogram)[std::min<size_t>(count, kMaxCount)]++;
        if (count >= kMaxCount) (*histogram)[0] += int64_t(count);
        if (count > 1) *kept++ = entry;
    }
    table.entries.shrink(size_t(kept - table.entries.begin()));
}

// Keeps the k-mers of a partition that occur often, and frees the rest of its table.
void CpuCounter::keep(size_t partition, uint64_t from) {
    Mapped entries = std::exchange(tables_[partition], Table()).entries;
    uint64_t *const end =
        std::remove_if(entries.begin(), entries.end(),
                       [this, from](uint64_t entry) { return layout_.count(entry) < from; });
    entries.shrink(size_t(end - entries.begin()));
    sort_entries(entries.begin(), entries.size());
    const auto memory = std::make_shared<Mapped>(std::move(entries));
    kept_[partition] = {memory, memory->begin(), memory->size()};
}

std::unique_ptr<Counter> counter_on_cpu(int k, int threads, int64_t memory_bytes, int least) {
    return std::make_unique<CpuCounter>(k, threads, memory_bytes, least);
}

}  // namespace gkl_shim::correct
