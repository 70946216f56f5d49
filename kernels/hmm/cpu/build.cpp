// A build of the CPU engine's arithmetic, compiled once for each instruction set
// (common/builds/instruction_set.h). vector_loop.inc has the loop over the cells.
//
// This file uses no C++ library and exports only the build's struct; common/simd.h says why.

#include "hmm/cpu/build.h"

#include "hmm/cpu/pairhmm_rows.inc"
#include "hmm/cpu/pdhmm_rows.inc"
#include "hmm/cpu/rescaled_loop.inc"
#include "hmm/cpu/vector_loop.inc"

namespace gkl_shim::hmm {
namespace {

template <class Model, int W>
constexpr TileKernel tile_kernel() {
    typedef ScaledTile<Model, W, kBlockRows> Tile;
    return {W, Tile::coefficients, Tile::workspace, Tile::compute};
}

template <class Model, int LEAST>
constexpr TileKernels tile_kernels() {
    typedef typename Model::Number T;
    return {tile_kernel<Model, kLanes<T>>(), tile_kernel<Model, kNarrowLanes<T>>(),
            tile_kernel<Model, LEAST>()};
}

template <int W>
constexpr RescaledKernel rescaled_kernel() {
    return {W, pairhmm::RescaledTile<W>::workspace, pairhmm::RescaledTile<W>::compute};
}

}  // namespace

extern const CpuBuild GKL_SHIM_BUILD = {
    GKL_SHIM_BUILD_NAME,
    tile_kernels<pairhmm::LetterModel<float>, kNarrowLanes<float>>(),
    tile_kernels<pairhmm::LetterModel<double>, 1>(),
    tile_kernels<pdhmm::LetterSetModel, 1>(),
    rescaled_kernel<kLanes<double>>(),
    rescaled_kernel<1>(),
};

}  // namespace gkl_shim::hmm
