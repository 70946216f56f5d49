#include <algorithm>
#include <vector>

#include "common/thread_pool.h"
#include "mem/cpu/engine.h"
#include "mem/index/plan.h"

namespace gkl_shim::mem {
namespace {

// A counting sort by bucket would miss the cache twice for each seed. So seeds are first divided
// among parts of the table, and then each part is sorted.
const int kPartsBits = 9;
const int64_t kSeedsOfSlice = int64_t(1) << 16;
const int64_t kNanosecondsOfSeed = 6;

struct Builder {
    const TextView text;
    const Seeds &seeds;
    Page &page;
    int shift;  // bucket >> shift is its part of the table
    int64_t parts, slices;
    int64_t first, count;  // the first seed's position, and the number of seeds
    int64_t seeds_of_slice;
    std::vector<int64_t> places;    // parts of each slice: how many seeds, then where they start
    Buffer<uint32_t> buckets = {};  // of each seed in page.positions, counted from its part's first

    template <class Visit>
    void visit(int64_t slice, const Visit &visit_seed) const {
        const int64_t step = seeds.reference_step;
        const int64_t end = std::min((slice + 1) * seeds_of_slice, count);
        for (int64_t k = slice * seeds_of_slice; k < end; k++) {
            const int64_t at = first + k * step;
            const int64_t bucket = bucket_at(seeds, text, at);
            if (bucket >= 0) visit_seed(bucket, uint32_t(at - page.first));
        }
    }

    void count_parts(int64_t slice) {
        int64_t *counts = &places[size_t(slice * parts)];
        visit(slice, [&](int64_t bucket, uint32_t) { counts[bucket >> shift]++; });
    }

    void divide(int64_t slice) {
        int64_t *next = &places[size_t(slice * parts)];
        visit(slice, [&](int64_t bucket, uint32_t position) {
            const int64_t place = next[bucket >> shift]++;
            page.positions[place] = position;
            buckets[place] = uint32_t(bucket & ((int64_t(1) << shift) - 1));
        });
    }

    // After divide(), places[] of the last slice holds where each part ends.
    void sort(int64_t part) {
        const int64_t *ends = &places[size_t((slices - 1) * parts)];
        const int64_t begin = part == 0 ? 0 : ends[part - 1], end = ends[part];
        const int64_t buckets_of_part =
            std::min(int64_t(1) << shift, seeds.buckets() - (part << shift));
        uint32_t *const starts = page.starts.data() + (part << shift);
        std::fill(starts, starts + buckets_of_part, 0u);
        for (int64_t k = begin; k < end; k++) starts[buckets[k]]++;
        int64_t at = begin;
        for (int64_t bucket = 0; bucket < buckets_of_part; bucket++) {
            at += starts[bucket];
            starts[bucket] = uint32_t(at);
        }
        uint32_t *const positions = page.positions.data();
        const std::vector<uint32_t> unsorted(positions + begin, positions + end);
        // Backwards, so that each bucket ends up in ascending order and its start in place.
        for (int64_t k = end - 1; k >= begin; k--)
            positions[--starts[buckets[k]]] = unsorted[size_t(k - begin)];
    }
};

}  // namespace

void build_page(const Reference &reference, const Seeds &seeds, int threads, Page *page) {
    const auto [first, count] =
        seed_positions(page->first, std::min(page->last, reference.size() - seeds.letters + 1),
                       seeds.reference_step);
    const int64_t buckets = seeds.buckets();
    int shift = 0;
    while (buckets >> shift > int64_t(1) << kPartsBits) shift++;
    const int64_t parts = ((buckets - 1) >> shift) + 1;
    const int64_t seeds_of_slice = std::max(kSeedsOfSlice, (count + 255) / 256);
    const int64_t slices = std::max<int64_t>((count + seeds_of_slice - 1) / seeds_of_slice, 1);
    page->starts = Buffer<uint32_t>(buckets + 1);
    Builder builder = {reference.text(),
                       seeds,
                       *page,
                       shift,
                       parts,
                       slices,
                       first,
                       count,
                       seeds_of_slice,
                       std::vector<int64_t>(size_t(parts * slices))};
    const auto for_all = [&](int64_t count, void (Builder::*step)(int64_t)) {
        parallel_for(count, builder.count * kNanosecondsOfSeed, threads, Calls::kSeveral,
                     [&](int64_t k) { (builder.*step)(k); });
    };
    for_all(slices, &Builder::count_parts);
    int64_t total = 0;
    for (int64_t part = 0; part < parts; part++)
        for (int64_t slice = 0; slice < slices; slice++) {
            int64_t &place = builder.places[size_t(slice * parts + part)];
            total += place;
            place = total - place;
        }
    builder.buckets = Buffer<uint32_t>(total);
    page->positions = Buffer<uint32_t>(total);
    for_all(slices, &Builder::divide);
    for_all(parts, &Builder::sort);
    page->starts[buckets] = uint32_t(total);
}

}  // namespace gkl_shim::mem
