// A thread's memory for the tiles of a CPU engine.
#pragma once

#include <stdint.h>

#include <vector>

#include "common/memory/scratch.h"
#include "hmm/cpu/memory.h"

namespace gkl_shim {
namespace hmm {

// `Method` is described in hmm/cpu/engine.h.
template <class Method>
struct TileMemory {
    typedef typename Method::PlanView PlanView;

    Scratch coefficients, workspace, results, letters;
    typename Method::Planner planner;
    std::vector<int32_t> missing;     // haplotypes
    typename Method::Memory further;  // what the method adds

    // The kernel's results, [join][lane].
    const double *compute(const TileKernel<PlanView> &kernel, const Tile &tile,
                          const PlanView &plan) {
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
        planner.trim(kKeptBytes);
    }
};

}  // namespace hmm
}  // namespace gkl_shim
