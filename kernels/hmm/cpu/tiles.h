// A tile of one step of the CPU engine, the kernel for it, and a thread's memory for tiles.
#pragma once

#include <stdint.h>

#include "common/memory/scratch.h"
#include "hmm/cpu/memory_limits.h"
#include "hmm/cpu/piece.h"

namespace gkl_shim::hmm {

// Reads of a piece that are computed side by side against one set of its haplotypes.
struct TileTask {
    const Piece *piece;
    const HaplotypeSet *set;
    int32_t count;
    int32_t reads[kMaxLanes];  // indices in the piece's reads, longest first

    int32_t rows() const { return piece->length(reads[0]); }
    double &result(int32_t lane, int32_t haplotype) const {
        return piece->results(reads[lane])[haplotype];
    }
};

// Bytes that a tile takes for its haplotypes.
inline size_t haplotype_bytes(const TileKernel &kernel, int32_t rows, const PlanView &plan) {
    return kernel.workspace(rows, plan) +
           size_t(plan.join_count) * size_t(kernel.lanes) * sizeof(double);
}

inline bool fits(const TileKernel &kernel, int32_t rows, const PlanView &plan) {
    return kernel.coefficients(rows, plan) + kernel.workspace(rows, plan) <= kLongReadBytes;
}

// How many reads of at most this many rows share a tile.
inline int32_t lanes_for(const TileKernels &kernels, int32_t rows, const PlanView &plan) {
    for (const TileKernel *kernel : {&kernels.wide, &kernels.narrow})
        if (fits(*kernel, rows, plan)) return kernel->lanes;
    return kernels.least.lanes;
}

// The kernel for a tile of this many such reads.
inline const TileKernel &kernel_for(const TileKernels &kernels, int32_t rows, int32_t reads,
                                    const PlanView &plan) {
    if (reads > kernels.narrow.lanes) return kernels.wide;
    return fits(kernels.narrow, rows, plan) ? kernels.narrow : kernels.least;
}

struct TileMemory {
    Scratch coefficients, workspace, results, letters;
    Planners planners;

    // The kernel's results, [join][lane].
    const double *compute(const TileKernel &kernel, const Tile &tile, const PlanView &plan) {
        const int32_t rows = tile.rows();
        const TileBuffers buffers = {coefficients.get(kernel.coefficients(rows, plan)),
                                     workspace.get(kernel.workspace(rows, plan))};
        double *out = static_cast<double *>(
            results.get(size_t(plan.join_count) * size_t(kernel.lanes) * sizeof(double)));
        kernel.compute(tile, plan, buffers, out);
        return out;
    }

    // Frees what a rare, huge input has made larger than is kept.
    void trim() {
        for (Scratch *buffer : {&coefficients, &workspace, &results, &letters})
            buffer->trim(kKeptBytes);
        planners.pairhmm.trim(kKeptBytes);
        planners.pdhmm.trim(kKeptBytes);
    }
};

}  // namespace gkl_shim::hmm
