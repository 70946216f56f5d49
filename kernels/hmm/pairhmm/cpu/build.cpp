// A build of the CPU engine's arithmetic, compiled once for each instruction set
// (common/instruction_set.h).
//
// This file uses no C++ library and exports only the build's struct; common/simd.h says why.

#include "hmm/pairhmm/cpu/build.h"

#include "hmm/cpu/scaled_tile.inc"
#include "hmm/pairhmm/cpu/letter_model.inc"
#include "hmm/pairhmm/cpu/rescaled_tile.inc"

namespace gkl_shim {
namespace pairhmm {
namespace {

template <class T, int W>
constexpr TileKernel<PlanView> tile_kernel() {
    typedef ScaledTile<LetterModel<T>, W, kBlockRows> Tile;
    return {W, Tile::coefficients, Tile::workspace, Tile::compute};
}

template <int W>
constexpr RescaledKernel rescaled_kernel() {
    return {W, RescaledTile<W>::workspace, RescaledTile<W>::compute};
}

}  // namespace

extern const CpuBuild GKL_SHIM_BUILD = {
    GKL_SHIM_BUILD_NAME,
    {tile_kernel<float, kLanes<float>>(), tile_kernel<float, kNarrowLanes<float>>(),
     tile_kernel<float, kNarrowLanes<float>>()},
    {tile_kernel<double, kLanes<double>>(), tile_kernel<double, kNarrowLanes<double>>(),
     tile_kernel<double, 1>()},
    rescaled_kernel<kLanes<double>>(),
    rescaled_kernel<1>(),
};

}  // namespace pairhmm
}  // namespace gkl_shim
