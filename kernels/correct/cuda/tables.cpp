#include "correct/cuda/tables.h"

#include <utility>

#include "common/thread_pool.h"

namespace gkl_shim::correct {

constexpr int64_t kEntryBytes = sizeof(uint64_t);
// Entries of a table that stay free however small the table is, because k-mers are not divided
// evenly among tables.
constexpr int64_t kSpareEntries = 64;
constexpr int64_t kMaxCountBlocks = int64_t(1) << 16;
// The approximate time to choose an entry, and to sort one.
constexpr int64_t kKeepNanoseconds = 1, kSortNanoseconds = 4;

DeviceTables::DeviceTables(CudaEngine *engine, gpu::Device *device, int k,
                           std::vector<int> partitions, int64_t memory_bytes, int64_t kmers)
    : engine_(*engine),
      device_(*device),
      driver_(engine->driver),
      k_(k),
      // While tables are enlarged, there are two sets of them.
      max_entries_(std::min(memory_bytes, engine->hardware(*device).memory_bytes) /
                   (2 * kEntryBytes)),
      partitions_(std::move(partitions)),
      small_(driver_, kSmall) {
    try {
        make(kmers);
    } catch (...) {
        finish_streams();
        throw;
    }
}

DeviceTables::~DeviceTables() { finish_streams(); }

void DeviceTables::finish_streams() const {
    for (const gpu::Stream &stream : streams_) stream.finish();
}

int64_t DeviceTables::size_for(int64_t kmers, int64_t tables) {
    return kSpareEntries + kmers / 6 * 10 / tables + 10;
}

int64_t DeviceTables::room() const { return (size_ - kSpareEntries) * tables() / 10 * 6; }

int64_t DeviceTables::chunk_bases() const {
    return std::clamp<int64_t>(max_entries_ / 8, kSpareEntries * kPartitions, kMaxChunkBases);
}

Tables DeviceTables::view() const {
    return {entries_->as<uint64_t>(),
            size_,
            EntryLayout(k_),
            small_.as<const int16_t>(kNumbers),
            small_.as<uint32_t>(kOverflowed),
            small_.as<unsigned long long>(kUsed)};
}

void DeviceTables::launch(void *kernel, int64_t blocks, int32_t threads, int32_t shared_words,
                          void **parameters, void *stream) const {
    driver_.launch(kernel, int32_t(std::clamp<int64_t>(blocks, 1, kMaxCountBlocks)), 1, threads,
                   shared_words * int32_t(sizeof(uint32_t)), stream, parameters);
}

// Allocates empty tables of a size, for the partitions that are left.
void DeviceTables::allocate(int64_t size) {
    entries_ = std::make_unique<gpu::Memory<uint64_t>>(driver_, tables() * size * kEntryBytes);
    size_ = size;
    std::vector<int16_t> numbers(kPartitions, -1);
    for (int64_t t = 0; t < tables(); t++) numbers[size_t(partitions_[size_t(t)])] = int16_t(t);
    void *const stream = this->stream(0);
    driver_.send(small_.address() + kNumbers, numbers.data(), 2 * kPartitions, stream);
    driver_.fill(entries_->address(), 0, tables() * size * kEntryBytes, stream);
    driver_.fill(small_.address() + kUsed, 0, kSmall - kUsed, stream);
    driver_.wait_for_stream(stream);
}

// Makes the first tables.
void DeviceTables::make(int64_t kmers) {
    driver_.fill(small_.address(), 0, kSmall, stream(0));
    while (tables() > 1 && tables() * size_for(0, tables()) > max_entries_)
        partitions_.resize(partitions_.size() / 2);
    const int64_t most = std::max(max_entries_ / tables(), kSpareEntries);
    allocate(std::min(size_for(kmers, tables()), most));
}

// Enlarges the tables, or drops some, if this number of k-mers might not fit.
void DeviceTables::make_room(int64_t kmers) {
    if (bound_ + kmers <= room()) return;
    wait_for_all();
    uint64_t used = 0;
    driver_.fetch(&used, small_.address() + kUsed, sizeof used, stream(0));
    driver_.wait_for_stream(stream(0));
    bound_ = int64_t(used);
    if (bound_ + kmers <= room()) return;
    const int64_t before = tables();
    int64_t left = before, size = 0;
    for (;; left = (left + 1) / 2) {
        size = size_for(bound_ / before * left + kmers, left);
        if (left * size <= max_entries_ || left == 1) break;
    }
    size = std::max({size_, std::min(size, std::max(max_entries_ / left, kSpareEntries)),
                     std::min(2 * size_, max_entries_ / left)});
    const Tables from = view();
    const std::unique_ptr<gpu::Memory<uint64_t>> old = std::move(entries_);
    partitions_.resize(size_t(left));
    allocate(size);
    Tables first = from, to = view();
    int64_t count = left;
    void *parameters[] = {&first, &to, &count};
    launch(engine_.hardware(device_).kernels.move_entries,
           (left * from.size + kThreads - 1) / kThreads, kThreads, 0, parameters, stream(0));
    driver_.fetch(&used, small_.address() + kUsed, sizeof used, stream(0));
    driver_.wait_for_stream(stream(0));
    bound_ = int64_t(used);
}

void DeviceTables::count(int stage, const Cut &cut, int64_t reads, int64_t letters_at) {
    make_room(cut.kmers);
    bound_ += cut.kmers;
    const int64_t bytes = letters_at + cut.bases;
    void *const stream = this->stream(stage);
    reads_[stage].grow(driver_, stream, bytes);
    const uint64_t at = reads_[stage].address();
    driver_.send(at, engine_.stages[stage].address(), bytes, stream);
    CountWork work = {Hasher(k_),
                      {reinterpret_cast<const uint8_t *>(at + uint64_t(letters_at)),
                       reinterpret_cast<const uint32_t *>(at), reads},
                      view()};
    void *parameters[] = {&work};
    launch(engine_.hardware(device_).kernels.count_kmers, (reads + kWarps - 1) / kWarps, kThreads,
           0, parameters, stream);
}

void DeviceTables::finish() {
    wait_for_all();
    void *const stream = this->stream(0);
    FinishWork work = {view(), small_.as<uint32_t>(kKept),
                       small_.as<unsigned long long>(kHistogram)};
    void *parameters[] = {&work};
    launch(engine_.hardware(device_).kernels.finish_tables, tables(), kFinishThreads, kFinishWords,
           parameters, stream);
    std::vector<uint8_t> small(kSmall);
    driver_.fetch(small.data(), small_.address(), kSmall, stream);
    driver_.wait_for_stream(stream);
    const auto *const overflowed = reinterpret_cast<const uint32_t *>(&small[kOverflowed]);
    const auto *const left = reinterpret_cast<const uint32_t *>(&small[kKept]);
    const auto *const counts = reinterpret_cast<const uint64_t *>(&small[kHistogram]);
    overflowed_.assign(overflowed, overflowed + tables());
    left_.assign(left, left + tables());
    histogram_.assign(counts, counts + kMaxCount + 1);
}

void DeviceTables::fetch(uint64_t from, std::vector<Kept> *kept, std::vector<bool> *counted) {
    // As many tables at a time as the pinned memory holds.
    void *const stream = this->stream(0);
    gpu::KeptMemory<void *> &pinned = engine_.stages[0];
    pinned.grow(driver_, stream, size_ * kEntryBytes);
    struct Fetched {
        uint64_t *entries;
        int64_t count;
        Kept kept;
    };
    std::vector<Fetched> fetched(partitions_.size());
    uint64_t *const memory = pinned.as<uint64_t>();
    for (int64_t begin = 0, end = 0; begin < tables(); begin = end) {
        int64_t entries = 0;
        for (; end < tables(); end++) {
            const int64_t count = overflowed_[size_t(end)] ? 0 : int64_t(left_[size_t(end)]);
            if ((entries + count) * kEntryBytes > pinned.size()) break;
            fetched[size_t(end)] = {memory + entries, count, {}};
            if (count > 0)
                driver_.fetch(memory + entries,
                              entries_->address() + uint64_t(end * size_ * kEntryBytes),
                              count * kEntryBytes, stream);
            entries += count;
        }
        driver_.wait_for_stream(stream);
        const EntryLayout layout(k_);
        const auto for_tables = [&](int64_t nanoseconds, const auto &task) {
            parallel_for(end - begin, entries * nanoseconds, engine_.threads, Calls::kSeveral,
                         [&](int64_t k) { task(fetched[size_t(begin + k)]); });
        };
        for_tables(kKeepNanoseconds, [&](Fetched &table) {
            const auto last =
                std::remove_if(table.entries, table.entries + table.count,
                               [&](uint64_t entry) { return layout.count(entry) < from; });
            table.kept.count = size_t(last - table.entries);
        });
        size_t all = 0;
        for (int64_t t = begin; t < end; t++) all += fetched[size_t(t)].kept.count;
        const auto shared = std::make_shared<Mapped>(Mapped::in_large_pages(all));
        uint64_t *next = shared->begin();
        for (int64_t t = begin; t < end; t++) {
            Kept &of_table = fetched[size_t(t)].kept;
            of_table = {shared, next, of_table.count};
            next += of_table.count;
        }
        for_tables(kSortNanoseconds, [](Fetched &table) {
            std::copy_n(table.entries, table.kept.count, table.kept.entries);
            sort_entries(table.kept.entries, table.kept.count);
        });
    }
    // Nothing fails any more.
    for (size_t t = 0; t < fetched.size(); t++) {
        if (overflowed_[t]) continue;
        const size_t partition = size_t(partitions_[t]);
        (*kept)[partition] = std::move(fetched[t].kept);
        (*counted)[partition] = true;
    }
}

}  // namespace gkl_shim::correct
