#include "prefilter/cuda/sources/candidates.h"

#include <algorithm>

using gkl_shim::prefilter::length_of;

gkl_shim_prefilter_cuda_resident::gkl_shim_prefilter_cuda_resident(
    const gkl_shim::CudaDriver &driver, const gkl_shim_prefilter_cuda_references &references,
    int threads)
    : reads(driver, *references.reads,
            int64_t(references.read_count) * (references.both_strands ? 2 : 1), threads),
      contigs(driver, *references.contigs, references.contig_count, threads),
      read_count(references.read_count),
      contig_count(references.contig_count) {
    const int64_t end = references.reads->lengths ? read_count : std::min(read_count, 1);
    for (int64_t k = 0; k < end; k++) longest = std::max(longest, length_of(*references.reads, k));
}

namespace gkl_shim::prefilter {

Candidates::Candidates(gkl_shim_prefilter_cuda_resident *resident,
                       const gkl_shim_prefilter_cuda_candidates &candidates, const Method &method)
    : resident_(*resident),
      candidates_(candidates),
      clipped_(!method.gatekeeper),
      before_(method.mode == kInfix ? method.max_edits : 0),
      after_(method.mode == kGlobal ? 0 : method.max_edits) {}

double Candidates::pair_bytes() const {
    return double(sizeof *candidates_.reads +
                  (candidates_.wide ? sizeof(int64_t) : sizeof(int32_t)) +
                  (candidates_.contigs ? sizeof *candidates_.contigs : 0) +
                  (candidates_.reverse ? sizeof *candidates_.reverse : 0));
}

Range Candidates::range(const gpu::Range &pairs) const {
    return {pairs, {resident_.longest, before_ + after_}, {}};
}

Work Candidates::lay_out(const Range &range, const gpu::Device &device, void *stream,
                         Block *block) {
    const int64_t first = range.first, count = range.count();
    const DeviceSequences::Address reads = resident_.reads.on(device, stream);
    const DeviceSequences::Address contigs = resident_.contigs.on(device, stream);
    Work work = {};
    work.read_planes = reads.planes;
    work.reads = reads.places;
    work.segment_planes = contigs.planes;
    work.segments = contigs.places;
    work.read_numbers = block->put(candidates_.reads, first, count);
    work.contigs = block->put(candidates_.contigs, first, count);
    work.positions =
        candidates_.wide
            ? static_cast<const void *>(
                  block->put(static_cast<const int64_t *>(candidates_.positions), first, count))
            : block->put(static_cast<const int32_t *>(candidates_.positions), first, count);
    work.reverse = block->put(candidates_.reverse, first, count);
    work.wide = candidates_.wide;
    work.strand = work.read_count = resident_.read_count;
    work.contig_count = resident_.contig_count;
    work.before = before_;
    work.after = after_;
    work.clipped = clipped_;
    return work;
}

}  // namespace gkl_shim::prefilter
