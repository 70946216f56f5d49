// The tiles of one step of the CPU engine, the kernel for a tile, and a thread's memory for tiles.
#pragma once

#include <stdint.h>

#include <vector>

#include "common/memory/scratch.h"
#include "hmm/cpu/memory_limits.h"
#include "hmm/cpu/piece.h"

namespace gkl_shim::hmm {

// Reads of a piece that are computed side by side against one set of its haplotypes.
struct TileTask {
    const Piece *piece;
    const HaplotypeSet *set;
    int32_t count;
    const int32_t *reads;  // indices in the piece's reads, longest first

    int32_t rows() const { return piece->reads().length(reads[0]); }
    double &result(int32_t lane, int32_t haplotype) const {
        return piece->result(reads[lane], haplotype);
    }
};

class Tiles {
   public:
    void clear() {
        chosen_.clear();
        tasks_.clear();
    }

    // Adds tiles for those of the piece's reads that `wanted` accepts. Reads of similar length
    // share a tile; lanes(length of the longest) says how many.
    template <class Wanted, class Lanes>
    void add(const Piece &piece, const HaplotypeSet &set, Wanted wanted, Lanes lanes) {
        int32_t room = 0;
        for (int32_t read = 0; read < piece.reads().count(); read++) {
            if (!wanted(read)) continue;
            if (room == 0) {
                room = lanes(piece.reads().length(read));
                tasks_.push_back({&piece, &set, 0, nullptr});
            }
            chosen_.push_back(read);
            tasks_.back().count++;
            room--;
        }
    }

    // Call this when all tiles are added.
    void finish() {
        const int32_t *next = chosen_.data();
        for (TileTask &task : tasks_) {
            task.reads = next;
            next += task.count;
        }
    }

    int64_t count() const { return int64_t(tasks_.size()); }
    const TileTask &operator[](int64_t k) const { return tasks_[size_t(k)]; }

   private:
    std::vector<int32_t> chosen_;  // reads, tile by tile
    std::vector<TileTask> tasks_;
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
    std::vector<int32_t> missing;  // haplotypes

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
