#include "mem/cuda/device_page.h"

#include <algorithm>

namespace gkl_shim::mem {
namespace {

// A bucket's number, shifted right by this, is the number of its part of the table.
int32_t shift_of(const Seeds &seeds, int64_t count) {
    const int64_t parts = std::clamp<int64_t>(count / kSeedsOfPart, 1, kMaxParts);
    int32_t shift = 0;
    while ((seeds.buckets() - 1) >> shift >= parts) shift++;
    return shift;
}

}  // namespace

int64_t DevicePage::max_letters(const Seeds &seeds) {
    return kMaxPageLetters - letters_before(seeds);
}

void DevicePage::build(Stream *stream, const Index &index, const Seeds &seeds, int64_t first,
                       int64_t last, int64_t min_length, int threads) {
    const int64_t after = letters_after(min_length);
    if (index.number() == index_ && first == first_ && last == last_ &&
        (after <= after_ || reference_.cut() < 0))
        return;
    index_ = -1;
    const Reference &reference = index.reference();
    reference_.set_part({first, last}, reference.starts(), letters_before(seeds), after);
    reference_.make(stream, reference.source(), threads);
    const SeedPositions indexed = seed_positions(
        first, std::min(last, reference.size() - seeds.letters + 1), seeds.reference_step);
    const int64_t seeds_room = std::max<int64_t>(indexed.count, 1);
    starts_.grow(driver_, stream->get(), (seeds.buckets() + 1) * 4);
    positions_.grow(driver_, stream->get(), seeds_room * 4);
    divided_.grow(driver_, stream->get(), seeds_room * int64_t(sizeof(PageSeed)));
    // The sums of the scan come after the parts.
    part_starts_.grow(driver_, stream->get(), 2 * (kMaxParts + 1) * 4);
    SeedWork work = {};
    work.seeds = seeds;
    work.reference = reference_.view();
    work.first = indexed.first - reference_.origin();
    work.count = indexed.count;
    work.shift = shift_of(seeds, indexed.count);
    work.parts = int32_t((seeds.buckets() - 1) >> work.shift) + 1;
    work.part_starts = part_starts_.as<uint32_t>();
    work.divided = divided_.as<PageSeed>();
    work.starts = starts_.as<uint32_t>();
    work.positions = positions_.as<uint32_t>();
    const int64_t ends = work.parts + 1;
    driver_.fill(part_starts_.address(), 0, ends * 4, stream->get());
    void *parameters[] = {&work};
    const gkl_shim_mem_cuda_kernels &kernels = stream->kernels;
    const int64_t slices = (indexed.count + kIndexSlice - 1) / kIndexSlice;
    if (slices > 0) {
        stream->launch_blocks(kernels.count_parts, slices, kIndexThreads, work.parts, parameters);
        stream->scan(part_starts_.address(), ends, part_starts_.address() + uint64_t(ends) * 4);
        stream->launch_blocks(kernels.divide_seeds, slices, kIndexThreads, work.parts, parameters);
    }
    stream->launch_blocks(kernels.sort_parts, work.sections(), kIndexThreads, kSortWords,
                          parameters);
    driver_.record(indexed_.get(), stream->get());
    index_ = index.number();
    first_ = first;
    last_ = last;
    after_ = after;
}

}  // namespace gkl_shim::mem
