// Tiles: their reads and haplotypes, and the memory that a thread computes them in.
#pragma once

#include <stdint.h>

#include <vector>

#include "common/scratch.h"
#include "pairhmm/cpu/build.h"
#include "pairhmm/cpu/piece.h"

namespace gkl_shim {
namespace pairhmm {

// Reads of a piece that are computed side by side against one set of its haplotypes.
struct TileTask {
    const Piece *piece;
    int32_t set, count;
    const int32_t *reads;  // indices into the piece's reads(), longest first
    const TileKernel *kernel;

    int32_t rows() const { return piece->reads()[size_t(reads[0])].length; }
    const Plan &plan() const { return piece->set(set).plan; }
    double &result(int32_t lane, int32_t haplotype) const {
        return piece->results(reads[lane])[piece->column(haplotype)];
    }
};

// All tiles of one step.
class Tiles {
   public:
    void clear() {
        chosen_.clear();
        tasks_.clear();
    }

    // Adds tiles for those of the piece's reads, from index `first` on, that `wanted` accepts.
    // Reads of similar length share a tile; lanes(length of the longest) says how many.
    template <class Wanted, class Lanes>
    void add(const Piece &piece, int32_t set, int32_t first, Wanted wanted, Lanes lanes) {
        const int32_t end = int32_t(piece.reads().size());
        int32_t room = 0;
        for (int32_t read = first; read < end; read++) {
            if (!wanted(read)) continue;
            if (room == 0) {
                room = lanes(piece.reads()[size_t(read)].length);
                tasks_.push_back({&piece, set, 0, nullptr, nullptr});
            }
            chosen_.push_back(read);
            tasks_.back().count++;
            room--;
        }
    }

    void finish() {
        const int32_t *next = chosen_.data();
        for (TileTask &task : tasks_) {
            task.reads = next;
            next += task.count;
        }
    }

    int64_t count() const { return int64_t(tasks_.size()); }
    const TileTask &operator[](int64_t k) const { return tasks_[size_t(k)]; }
    std::vector<TileTask>::iterator begin() { return tasks_.begin(); }
    std::vector<TileTask>::iterator end() { return tasks_.end(); }

   private:
    std::vector<int32_t> chosen_;  // reads, tile by tile
    std::vector<TileTask> tasks_;
};

// A thread's memory for a tile.
struct TileMemory {
    Scratch coefficients, workspace, results, letters;
    Planner planner;
    Plan plan;  // of some of a piece's haplotypes
    std::vector<Haplotype> haplotypes;
    std::vector<int32_t> chosen;

    // Encodes the reads' letters into this memory.
    Tile make_tile(const CpuSettings &settings, const gkl_shim_pairhmm_batch &batch,
                   const TileTask &task);

    // The kernel's results, [join][lane].
    const double *compute(const TileKernel &kernel, const Tile &tile, const PlanView &with);

    // Plans the haplotypes in `chosen`.
    void plan_some(const std::vector<Haplotype> &all);

    void trim();
};

}  // namespace pairhmm
}  // namespace gkl_shim
