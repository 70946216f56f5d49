// The CUDA engine's kernels. They do the same operations in the same order as the CPU engine (see
// model.h), so they give the same bits. kernels/block_format.h describes their input, which the
// planner (planner/block_writer.cpp) writes.
//
// A block is one warp. It computes one tile: several reads of a region side by side, against all
// haplotypes of the region. A read takes as many neighbouring lanes as its rows need, at R rows a
// lane.
//
// A thread is one lane. It keeps its R rows in registers: four coefficients and two states, T and
// D, for each row. In the forward pass lane l of a read is one column behind lane l - 1 and
// receives two numbers from it in every column, by shuffles. The backward pass is the mirror image:
// it runs over the same rows from the read's last lane to its first. Emissions come from a table in
// shared memory, [letter][group of rows][lane], by 16-byte loads. These are free of bank conflicts
// whatever letters the lanes are at.
//
// At a fork of a trie each lane saves its state to the tile's scratch. It restores that state when
// it reaches the first column of the next branch itself, so the pipeline of lanes never drains. The
// state is prefetched into shared memory by then. The state before the first column is saved in the
// same way. The states at the ends of heads and tails stay in the scratch for the join, which comes
// last, one lane a pair.
//
// A double-precision read with more rows than a warp holds is cut into stripes. Each stripe is
// computed by its own warp, which passes the numbers of its last row to the next stripe
// (kernels/stripes.h).
//
// A read's rows end in the last register of its last lane. The rows above its first one are padding
// and pass the start value down.
//
// lane.h has the work of a lane, in three parts: set_up() makes the coefficients of its rows,
// pass() walks the columns, and join() computes likelihoods.
//
// Register bandwidth bounds the kernels in single precision. On an H200 a multiply-add of three
// different registers takes 1.46 cycles of a scheduler; one of two registers and a uniform register
// takes 1.01. With 16 rows per lane a column takes 93 instructions, 80 of them for the recurrence,
// and 224 register reads at two a cycle: 112 cycles, or 4.8 10^12 cells a second (132
// multiprocessors at 1.98 GHz).
// The kernel reaches 73% of that with haplotypes of 200 letters that share nothing (3.5 10^12 at
// reads of 64 bases). A warp spends 70% of its time there in columns between events, 23% in the
// columns around events, where lanes take turns, and 5% in the join.
//
// In double precision a multiply-add occupies a scheduler's FP64 unit for two cycles
// (lone/lone_lane.h). With 8 unrelated haplotypes and reads of 256 bases, `pairhmm_double_8` keeps
// these units of an H200 busy for 44% of the cycles, and its schedulers issue in 39% of them
// (benchmarks/results/README.md).

#include "hmm/cuda/kernels/lane.h"
#include "hmm/cuda/lone/lone_lane.h"

namespace gkl_shim {
namespace pairhmm {
namespace {

template <class T, int R>
__device__ __forceinline__ void compute_tile(const uint8_t *chunk, const CudaTables<T> *tables,
                                             uint8_t *scratch, double *out, int first_tile,
                                             int step) {
    // Every part loads what it needs again, to leave all registers to the recurrence.
    const auto lane = [&] {
        return Lane<T, R>(chunk, tables, scratch, first_tile + int(blockIdx.x));
    };
    if (step != kJoin) {
        const int heads = lane().region().heads, tails = lane().region().tails;
        const int first = step == kPass ? int(blockIdx.y) : 0;
        if (first >= heads + tails) return;
        lane().set_up();
        __syncwarp();
        if (first < heads) lane().template pass<kForward>(first);
        __syncwarp();
        if (step == kWholeTile ? tails > 0 : first >= heads)
            lane().template pass<kBackward>(step == kWholeTile ? heads : first);
        __syncwarp();
    }
    if (step != kPass) lane().join(out);
}

// Computes one stream of one stripe. Warps take numbers in the order in which they start, and the
// numbers go by stripe, in the direction of the pass: first the first stripes of all reads, then
// the second ones, and so on. Tiles are listed in the order of the forward pass. A read's first
// tile computes the join.
template <class T, int R>
__device__ __forceinline__ void compute_stripe(const uint8_t *chunk, const CudaTables<T> *tables,
                                               uint8_t *scratch, double *out, int first_tile,
                                               int step) {
    const ChunkHeader &header = *reinterpret_cast<const ChunkHeader *>(chunk);
    const TileRecord *tiles = reinterpret_cast<const TileRecord *>(chunk + header.tiles);
    int tile = first_tile + int(blockIdx.x);
    bool mirrored = false;
    const auto lane = [&] { return Lane<T, R, true>(chunk, tables, scratch, tile, mirrored); };
    if (step == kJoin) {
        if (tiles[tile].widest == 0) lane().join_stripes(out);
        return;
    }
    int started = 0;
    if (threadIdx.x == 0)
        started = atomicAdd(reinterpret_cast<int32_t *>(scratch + header.started), 1);
    started = int(unsigned(__shfl_sync(kAllLanes, started, 0)) - kSeamFill * 0x01010101u);
    tile = first_tile + started / int(gridDim.y);
    const int stream = started % int(gridDim.y);
    const int heads = lane().region().heads;
    if (stream >= heads + lane().region().tails) return;
    mirrored = stream >= heads;
    lane().set_up();
    __syncwarp();
    if (stream < heads)
        lane().template pass<kForward>(stream);
    else
        lane().template pass<kBackward>(stream);
}

}  // namespace
}  // namespace pairhmm
}  // namespace gkl_shim

// The number in each name is the rows per lane. `blocks` is the number of warps that a
// multiprocessor should hold at once.
#define GKL_SHIM_PAIRHMM_KERNEL(name, T, rows, blocks)                                           \
    extern "C" __global__ void __launch_bounds__(32, blocks)                                     \
        name(const uint8_t *chunk, const gkl_shim::pairhmm::CudaTables<T> *tables,               \
             uint8_t *scratch, double *out, int first_tile, int step) {                          \
        gkl_shim::pairhmm::compute_tile<T, rows>(chunk, tables, scratch, out, first_tile, step); \
    }

GKL_SHIM_PAIRHMM_KERNEL(pairhmm_single_4, float, 4, 24)
GKL_SHIM_PAIRHMM_KERNEL(pairhmm_single_8, float, 8, 16)
GKL_SHIM_PAIRHMM_KERNEL(pairhmm_single_12, float, 12, 12)
GKL_SHIM_PAIRHMM_KERNEL(pairhmm_single_16, float, 16, 12)
GKL_SHIM_PAIRHMM_KERNEL(pairhmm_single_20, float, 20, 12)
GKL_SHIM_PAIRHMM_KERNEL(pairhmm_single_32, float, 32, 8)
GKL_SHIM_PAIRHMM_KERNEL(pairhmm_double_4, double, 4, 16)
GKL_SHIM_PAIRHMM_KERNEL(pairhmm_double_8, double, 8, 12)

extern "C" __global__ void __launch_bounds__(32, 12)
    pairhmm_double_striped(const uint8_t *chunk,
                           const gkl_shim::pairhmm::CudaTables<double> *tables, uint8_t *scratch,
                           double *out, int first_tile, int step) {
    gkl_shim::pairhmm::compute_stripe<double, gkl_shim::pairhmm::kStripedRows>(
        chunk, tables, scratch, out, first_tile, step);
}
