// A build of the CPU engine's arithmetic, compiled once for each instruction set
// (common/instruction_set.h).
//
// This file uses no C++ library and exports only the build's struct; common/simd.h says why.

#include "hmm/pdhmm/cpu/build.h"

#include "hmm/cpu/scaled_tile.inc"
#include "hmm/pdhmm/cpu/letter_set_model.inc"

namespace gkl_shim {
namespace pdhmm {
namespace {

template <int W>
constexpr TileKernel<PlanView> tile_kernel() {
    typedef ScaledTile<LetterSetModel, W, kBlockRows> Tile;
    return {W, Tile::coefficients, Tile::workspace, Tile::compute};
}

}  // namespace

extern const CpuBuild GKL_SHIM_BUILD = {
    GKL_SHIM_BUILD_NAME,
    {tile_kernel<kLanes<double>>(), tile_kernel<kNarrowLanes<double>>(), tile_kernel<1>()},
};

}  // namespace pdhmm
}  // namespace gkl_shim
