// The kernels' tables: the CPU engine's numbers for a precision and conventions, in the form of
// kernels/block_format.h.
#include "common/error.h"
#include "gkl_shim_internal.h"
#include "hmm/cuda/kernels/block_format.h"
#include "hmm/letters.h"
#include "hmm/pairhmm/model.h"

namespace gkl_shim::pairhmm {
namespace {

template <class T>
void write_tables(bool as_gkl, const Tables<T> &from, CudaTables<T> *to) {
    for (int i = 0; i < kQualities; i++) {
        to->probability[i] = from.probability[i];
        to->emission[i] = {from.emission[i].agree, from.emission[i].differ};
        const T xx = from.probability[i], gm = 1 - xx;
        for (int below = 0; below <= kQualities; below++) {
            const T gm_below = below < kQualities ? 1 - from.probability[below] : T(1);
            to->backward_kappa[i * (kQualities + 1) + below] =
                scaled_backward_kappa(xx, gm_below, gm);
        }
    }
    for (int k = 0; k < kQualities * kQualities; k++) {
        const typename Tables<T>::Gap &gap = from.gap[k];
        const T inverse_mm = 1 / gap.mm;
        to->gap[k] = {scaled_alpha(gap.mi, inverse_mm), gap.inverse_alpha, gap.mm, inverse_mm};
    }
    uint8_t bytes[256];
    for (int k = 0; k < 256; k++) bytes[k] = uint8_t(k);
    encode(as_gkl, bytes, 256, to->letter);
}

}  // namespace
}  // namespace gkl_shim::pairhmm

using namespace gkl_shim;
using namespace gkl_shim::pairhmm;

extern "C" int64_t gkl_shim_pairhmm_cuda_tables(int32_t precision, int32_t conventions,
                                                void *tables) {
    const bool as_gkl = conventions == GKL_SHIM_AS_GKL, single = precision == GKL_SHIM_SINGLE;
    const gkl_shim_status status = guarded([&] {
        if (tables && single)
            write_tables(as_gkl, single_tables(), static_cast<CudaTables<float> *>(tables));
        else if (tables)
            write_tables(as_gkl, double_tables(), static_cast<CudaTables<double> *>(tables));
    });
    if (status != GKL_SHIM_OK) return -int64_t(status);
    return single ? sizeof(CudaTables<float>) : sizeof(CudaTables<double>);
}
