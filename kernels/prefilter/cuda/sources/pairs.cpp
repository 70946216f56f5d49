#include "prefilter/cuda/sources/pairs.h"

#include <algorithm>

namespace gkl_shim::prefilter {
namespace {

// Bytes of a base that is encoded in three planes.
constexpr double kEncodedBytes = 3.0 / 8;

Places put_places(const Sequences &list, const Range &range, int64_t origin, Block *block) {
    const int64_t first = range.first, count = range.count();
    // Sequence 0 of the launch is the range's first one.
    if (!list.starts) origin -= first * list.stride;
    return {block->put(list.starts, first, count), list.stride, origin,
            block->put(list.lengths, first, count), list.length};
}

}  // namespace

Pairs::Pairs(const CudaDriver &driver, const Sequences &reads, const Sequences &segments,
             int64_t first, int64_t last, int32_t encode, int threads)
    : lists_{reads, segments}, encode_(encode) {
    for (int k = 0; k < 2; k++)
        if (is_scattered(lists_[k], first, last, threads))
            whole_[k] = std::make_unique<DeviceSequences>(driver, lists_[k], 0, threads);
    shared_ = reads.letters && reads.letters == segments.letters && !whole_[0] && !whole_[1];
    for (int k = 0; k < 2; k++) {
        const Sequences &list = lists_[k];
        pair_bytes_ += (list.starts ? sizeof *list.starts : 0);
        pair_bytes_ += (list.lengths ? sizeof *list.lengths : 0);
        if (whole_[k] || (k == 1 && shared_)) continue;
        const int64_t pairs = std::max<int64_t>(last - first, 1);
        const double bases = double(bases_of(list, first, last).count()) / double(pairs);
        pair_bytes_ += bases * (list.letters ? 1 : kEncodedBytes);
    }
}

Range Pairs::range(const gpu::Range &pairs) const {
    const Sequences &reads = lists_[0], &segments = lists_[1];
    Range range = {pairs, {0, INT32_MIN}, {}};
    for (int k = 0; k < 2; k++)
        if (!whole_[k]) range.bases[k] = bases_of(lists_[k], pairs.first, pairs.last);
    if (shared_)
        range.bases[0] = range.bases[1] = {std::min(range.bases[0].low, range.bases[1].low),
                                           std::max(range.bases[0].high, range.bases[1].high)};
    const int64_t end = reads.lengths || segments.lengths ? pairs.last : pairs.first + 1;
    for (int64_t k = pairs.first; k < end; k++) {
        const int32_t read = length_of(reads, k);
        range.widths.longest = std::max(range.widths.longest, read);
        range.widths.longer = std::max(range.widths.longer, length_of(segments, k) - read);
    }
    return range;
}

Work Pairs::lay_out(const Range &range, const gpu::Device &device, void *stream, Block *block) {
    Work work = {};
    Planes *const planes[] = {&work.read_planes, &work.segment_planes};
    Places *const places[] = {&work.reads, &work.segments};
    int64_t origin = 0;
    for (int k = 0; k < 2; k++) {
        if (whole_[k]) {
            *planes[k] = whole_[k]->on(device, stream).planes;
            origin = 0;
        } else if (k == 1 && shared_) {
            *planes[k] = *planes[0];
        } else {
            *planes[k] = block->put_bases(lists_[k], range.bases[k], encode_, &origin);
        }
        *places[k] = put_places(lists_[k], range, origin, block);
    }
    return work;
}

}  // namespace gkl_shim::prefilter
