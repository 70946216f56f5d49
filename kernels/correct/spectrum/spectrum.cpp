#include "correct/spectrum/spectrum.h"

#include <string.h>

#include <algorithm>
#include <atomic>

#include "common/error.h"
#include "common/interrupt.h"
#include "common/thread_pool.h"

namespace gkl_shim::correct {

// 32 bits of a hash choose its slot.
constexpr uint64_t kMinSize = 64, kMaxSize = UINT32_MAX;

// Room for a run of full slots at the end.
constexpr uint64_t kTail = 1 << 16;

// Slots of a task that adds up the runs of full ones.
constexpr int64_t kSlotsCounted = 1 << 16;

// The approximate time to put a k-mer into its slot.
constexpr int64_t kPlaceNanoseconds = 3;

// New memory takes no pages before it is written.
void Spectrum::allocate(uint64_t count) {
    memory_ = Mapped::in_large_pages(size_t(count) / 2 + 1);
    slots_ = reinterpret_cast<uint32_t *>(memory_.begin());
    slot_count_ = count;
}

int64_t Spectrum::next_number() {
    static std::atomic<int64_t> next{0};
    return next++;
}

// K-mers are put into slots in the order of their hashes: each at its home, or behind the one
// before. So the slots depend on the k-mers alone, and the partitions can be put in side by side,
// once it is known where each begins.
struct Spectrum::Placing {
    Spectrum &spectrum;
    Counter &counter;
    const uint64_t threshold, repeated;
    int64_t kmers[kPartitions], solid[kPartitions];
    uint64_t begin[kPartitions], end[kPartitions];

    // Visits the k-mers of a partition that are put in: visit(home, entry, hash) returns whether to
    // go on.
    template <class Visit>
    void visit(int partition, const Visit &visit) const {
        const SpectrumView view = spectrum.view();
        for (const uint64_t entry : counter.kept(partition)) {
            if (counter.layout().count(entry) < repeated) continue;
            const uint64_t hash = counter.layout().hash(uint64_t(partition), entry);
            if (!visit(view.home(hash), entry, hash)) return;
        }
    }
    void count(int p) {
        const Kept &kept = counter.kept(p);
        const auto from = [&](uint64_t least) {
            return std::count_if(kept.begin(), kept.end(), [&](uint64_t entry) {
                return counter.layout().count(entry) >= least;
            });
        };
        solid[p] = from(threshold);
        kmers[p] = from(repeated);
    }
    // Where a partition ends if the ones before do not reach into it.
    void find_end(int p) {
        uint64_t next = 0;
        visit(p, [&](uint64_t home, uint64_t, uint64_t) {
            next = std::max(home, next) + 1;
            return true;
        });
        end[p] = next;
    }
    // Where the partitions begin and end; returns the end of the last one.
    uint64_t join() {
        uint64_t next = 0;
        for (int p = 0; p < kPartitions; p++) {
            begin[p] = next;
            bool moved = kmers[p] > 0;
            visit(p, [&](uint64_t home, uint64_t, uint64_t) {
                moved = home < next;  // otherwise this one and the rest stay where they were
                next += moved;
                return moved;
            });
            if (kmers[p] > 0 && !moved) next = end[p];
        }
        return next;
    }
    // Forgets the partition, so that k-mers and slots need not fit into memory together.
    void put(int p) {
        uint64_t next = begin[p];
        uint32_t *const slots = spectrum.slots_;
        visit(p, [&](uint64_t home, uint64_t entry, uint64_t hash) {
            const uint64_t at = std::max(home, next);
            next = at + 1;
            const uint64_t count = counter.layout().count(entry);
            const uint64_t most = count >= threshold ? kMaxCount : spectrum.solid_from() - 1;
            slots[at] = uint32_t(hash) << kCountBits | uint32_t(std::min(count, most));
            return true;
        });
        counter.forget(p);
    }
};

Spectrum::Spectrum(Counter *counter, int threshold, int repeated, int threads) : Spectrum() {
    threads_ = threads;
    k_ = counter->k();
    threshold_ = threshold;
    Placing placing = {*this, *counter, uint64_t(threshold), uint64_t(repeated), {}, {}, {}, {}};
    int64_t entries = 0;
    for (int p = 0; p < kPartitions; p++) entries += int64_t(counter->kept(p).size());
    const auto for_all = [&](void (Placing::*step)(int)) {
        parallel_for(kPartitions, entries * kPlaceNanoseconds, threads, Calls::kSeveral,
                     [&](int64_t p) { (placing.*step)(int(p)); });
    };
    for_all(&Placing::count);
    uint64_t held = 0;
    for (int p = 0; p < kPartitions; p++) {
        kmers_ += placing.solid[p];
        held += uint64_t(placing.kmers[p]);
    }
    size_ = std::clamp(held * 5 / 3, kMinSize, kMaxSize);
    // All k-mers could lie in one run, in theory.
    allocate(size_ + std::min(held, kTail) + 1);
    for_all(&Placing::find_end);
    const uint64_t end = placing.join(), room = slot_count_ - 1;  // the last slot stays empty
    if (end > room)
        check(
            invalid("%llu of %llu solid k-mers do not fit into the spectrum; take a threshold "
                    "above %d, so that fewer are solid",
                    (unsigned long long)(end - room), (unsigned long long)held, threshold));
    const Uninterrupted takes_kmers;  // ended halfway, it would lose some
    counter->set_taken();
    for_all(&Placing::put);
}

std::unique_ptr<Spectrum> Spectrum::from_slots(int k, int threshold, uint64_t size,
                                               const uint32_t *slots, uint64_t count) {
    if (size < kMinSize || size > kMaxSize || size >= count || count > size + kTail + 1)
        check(invalid("a spectrum of %llu slots cannot have %llu", (unsigned long long)size,
                      (unsigned long long)count));
    if (slots[count - 1] != 0) check(invalid("the last slot of a spectrum must be empty"));
    std::unique_ptr<Spectrum> made(new Spectrum);
    made->k_ = k;
    made->threshold_ = threshold;
    made->size_ = size;
    made->allocate(count);
    memcpy(made->slots_, slots, size_t(count) * sizeof *slots);
    for (uint64_t at = 0; at < count; at++)
        made->kmers_ += (slots[at] & kMaxCount) >= made->solid_from();
    return made;
}

double Spectrum::false_positive_rate() const {
    // A task takes the runs that begin among its slots.
    const auto next_run = [this](int64_t at) {
        while (at > 0 && slots_[at - 1]) at++;
        return at;
    };
    std::atomic<uint64_t> compared{0};
    const int64_t count = int64_t(slot_count_);
    parallel_for_ranges(count, kSlotsCounted, count, threads_, [&](int64_t begin, int64_t end) {
        uint64_t run = 0, sum = 0;
        end = next_run(end);
        for (int64_t at = next_run(begin); at < end; at++) {
            run = (run + 1) & -uint64_t(slots_[at] != 0);
            sum += run;
        }
        compared += sum;
    });
    // A search that starts in a run compares the rest of it.
    return double(compared) / double(size_) / double(1 << kPrintBits);
}

}  // namespace gkl_shim::correct
