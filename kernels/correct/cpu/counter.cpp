#include "correct/cpu/counter.h"

#include <stdlib.h>

#include <algorithm>
#include <new>
#include <utility>

#include "common/thread_pool.h"

namespace gkl_shim {
namespace correct {
namespace {

// Hashes that wait for a round. They take 8 bytes each.
constexpr int64_t kRound = int64_t(1) << 24;

// Reads whose hashes one task appends.
constexpr int64_t kReadsAppended = 4096;

constexpr size_t kFirstEntries = 1024;

// The approximate time of a thread.
constexpr int64_t kAppendNanoseconds = 4, kCountNanoseconds = 4, kKeepNanoseconds = 1;

}  // namespace

CpuCounter::Lane::~Lane() {
    for (Block *block : blocks) free(block);
}

CpuCounter::Block *CpuCounter::Lane::take() {
    if (used == blocks.size()) {
        blocks.reserve(used + 1);
        void *const memory = aligned_alloc(alignof(Block), sizeof(Block));
        if (!memory) throw std::bad_alloc();
        blocks.push_back(static_cast<Block *>(memory));
    }
    return blocks[used++];
}

CpuCounter::CpuCounter(int k, int threads, int64_t memory_bytes)
    : Counter(k), threads_(threads), memory_bytes_(memory_bytes), tables_(kPartitions) {
    for (int t = 0; t < threads_; t++) {
        lanes_.emplace_back(new Lane);
        lanes_.back()->partitions.resize(kPartitions);
        lanes_.back()->next.resize(kPartitions);
    }
}

// Called when a partition has no block, or a full one.
void CpuCounter::full(Lane &lane, size_t partition) {
    lane.partitions[partition].push_back(uint32_t(lane.used));
    lane.next[partition] = lane.take()->hashes;
}

void CpuCounter::append(Lane &lane, const Read &read) {
    const int k = hasher_.k, shift = rest_bits();
    const uint64_t first = uint64_t(first_), end = uint64_t(end_);
    uint64_t **const next = lane.next.data();
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
        const uint64_t partition = hash >> shift;
        if (partition - first >= end - first) continue;
        // A pointer to the end of a block is aligned like a block.
        if (reinterpret_cast<uintptr_t>(next[partition]) % alignof(Block) == 0)
            full(lane, size_t(partition));
        *next[partition]++ = hash;
    }
}

void CpuCounter::count(const Read *reads, int64_t count) {
    struct Job {
        CpuCounter &counter;
        const Read *reads;
        int64_t count, lanes;
    };
    for (int64_t begin = 0; begin < count;) {
        // As many reads as the round has room for.
        int64_t end = begin, bases = 0;
        while (end < count && (bases == 0 || waiting_ + bases + reads[end].length <= kRound))
            bases += reads[end++].length;
        const int64_t lanes = std::min<int64_t>(threads_, (end - begin) / kReadsAppended + 1);
        Job job = {*this, reads + begin, end - begin, lanes};
        parallel_for(
            lanes, bases * kAppendNanoseconds, threads_,
            [](void *context, int64_t t) {
                const Job &job = *static_cast<Job *>(context);
                Lane &lane = *job.counter.lanes_[size_t(t)];
                const int64_t last = job.count * (t + 1) / job.lanes;
                for (int64_t k = job.count * t / job.lanes; k < last; k++)
                    job.counter.append(lane, job.reads[k]);
            },
            &job);
        waiting_ += bases;
        begin = end;
        if (begin < count || waiting_ >= kRound) flush();
    }
}

void CpuCounter::flush() {
    parallel_for(
        end_ - first_, waiting_ * kCountNanoseconds, threads_,
        [](void *context, int64_t k) {
            CpuCounter &counter = *static_cast<CpuCounter *>(context);
            counter.count_partition(counter.first_ + int(k));
        },
        this);
    waiting_ = 0;
    for (const auto &lane : lanes_) {
        lane->used = 0;
        for (auto &blocks : lane->partitions) blocks.clear();
        std::fill(lane->next.begin(), lane->next.end(), nullptr);
    }
    for (;;) {
        int64_t bytes = 0;
        for (const Table &table : tables_) bytes += int64_t(table.entries.capacity()) * 8;
        if (bytes <= memory_bytes_ || end_ - first_ == 1) return;
        end_ -= (end_ - first_) / 2;
        for (size_t p = size_t(end_); p < kPartitions; p++) tables_[p] = Table();
    }
}

void CpuCounter::count_partition(int partition) {
    Table &table = tables_[size_t(partition)];
    const uint64_t rest_mask = (uint64_t(1) << rest_bits()) - 1;
    for (const auto &lane : lanes_) {
        const auto &blocks = lane->partitions[size_t(partition)];
        for (size_t b = 0; b < blocks.size(); b++) {
            const uint64_t *hash = lane->blocks[blocks[b]]->hashes;
            const uint64_t *const end =
                b + 1 < blocks.size() ? hash + kBlock : lane->next[size_t(partition)];
            for (; hash < end; hash++) add(table, (*hash & rest_mask) << kEntryCountBits | 1);
        }
    }
}

void CpuCounter::add(Table &table, uint64_t entry) {
    if (table.entries.empty()) table.entries.resize(kFirstEntries);
    const size_t size = table.entries.size();
    uint64_t *const entries = table.entries.data();
    const uint64_t rest = entry >> kEntryCountBits;
    for (size_t at = slot(rest, size);;) {
        uint64_t &here = entries[at];
        if (here == 0) {
            here = entry;
            break;
        }
        if (here >> kEntryCountBits == rest) {
            if ((here & kMostEntryCount) < kMostEntryCount) here++;
            return;
        }
        if (++at == size) at = 0;
    }
    if (++table.used * 10 < size * 7) return;
    std::vector<uint64_t> larger(size * 2);
    for (const uint64_t old : table.entries) {
        if (old == 0) continue;
        size_t at = slot(old >> kEntryCountBits, larger.size());
        while (larger[at] != 0)
            if (++at == larger.size()) at = 0;
        larger[at] = old;
    }
    table.entries.swap(larger);
}

bool CpuCounter::end_pass() {
    flush();
    struct Job {
        CpuCounter &counter;
        std::vector<std::vector<int64_t>> histograms;  // of each partition
    } job = {*this, std::vector<std::vector<int64_t>>(kPartitions)};
    int64_t entries = 0;
    for (const Table &table : tables_) entries += int64_t(table.entries.size());
    parallel_for(
        end_ - first_, entries * kKeepNanoseconds, threads_,
        [](void *context, int64_t k) {
            Job &job = *static_cast<Job *>(context);
            const size_t p = size_t(job.counter.first_ + k);
            job.counter.keep(p, &job.histograms[p]);
        },
        &job);
    for (const std::vector<int64_t> &histogram : job.histograms)
        for (size_t count = 0; count < histogram.size(); count++)
            histogram_[count] += histogram[count];
    first_ = end_;
    end_ = kPartitions;
    return first_ == kPartitions;
}

// Counts the counts of a partition, keeps the k-mers that occur at least twice, and frees its
// table.
void CpuCounter::keep(size_t partition, std::vector<int64_t> *histogram) {
    const Table table = std::move(tables_[partition]);
    tables_[partition] = Table();
    std::vector<uint64_t> &kept = kept_[partition];
    const auto occurs_twice = [](uint64_t entry) { return (entry & kMostEntryCount) > 1; };
    kept.reserve(size_t(std::count_if(table.entries.begin(), table.entries.end(), occurs_twice)));
    histogram->resize(kMostCount + 1);
    for (const uint64_t entry : table.entries) {
        if (entry == 0) continue;
        (*histogram)[std::min<size_t>(entry & kMostEntryCount, kMostCount)]++;
        if (occurs_twice(entry)) kept.push_back(entry);
    }
    sort_entries(&kept);
}

}  // namespace correct
}  // namespace gkl_shim
