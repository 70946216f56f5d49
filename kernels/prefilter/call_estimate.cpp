// What a call is expected to cost on the CPU and on a GPU, before any has been timed.
#include "common/cpu.h"
#include "common/floating_point_mode.h"
#include "gkl_shim_internal.h"

// Bases of reads a nanosecond, on one thread of the CPU with at most kNarrow edits, and in the
// GPU's kernels. Bytes a nanosecond on their way to the GPU, encoding included. Measured with an
// H200 and the CPU of its machine (docs/algorithms/prefilter.md).
constexpr double kCpuBases = 4, kGpuBases = 1000, kSentBytes = 48, kTripNanoseconds = 50000;
constexpr int kNarrow = 15;

extern "C" void gkl_shim_prefilter_estimate(int64_t bases, int64_t bytes, int32_t max_edits,
                                            int32_t threads, gkl_shim_call_estimate *call) {
    const gkl_shim::FloatingPointMode mode;
    // The work grows with the width of the band of the matrix that is computed.
    const double width = max_edits <= kNarrow ? 1 : double(max_edits) / kNarrow;
    *call = {bases, double(bases) * width / kCpuBases / gkl_shim::allowed_threads(threads),
             kTripNanoseconds + double(bases) * width / kGpuBases + double(bytes) / kSentBytes};
}
