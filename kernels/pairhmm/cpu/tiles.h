// Tiles: which reads and haplotypes they have, what a thread computes them in, and the tails that
// one thread takes from another.
#pragma once

#include <stdint.h>

#include <atomic>
#include <memory>
#include <vector>

#include "common/scratch.h"
#include "pairhmm/cpu/build.h"
#include "pairhmm/cpu/piece.h"

namespace gkl_shim {
namespace pairhmm {

// Reads of a piece that are computed side by side against a set of its haplotypes.
struct TileTask {
    const Piece *piece;
    int32_t set, count;
    const int32_t *reads;  // indices into the piece's list, the longest read first
    const TileKernel *kernel;

    int32_t rows() const { return piece->reads()[size_t(reads[0])].length; }
    const Plan &plan() const { return piece->set(set).plan; }
    double &result(int32_t lane, int32_t haplotype) const {
        return piece->results(reads[lane])[piece->column(haplotype)];
    }
};

// The tiles of a step.
class Tiles {
   public:
    void clear() {
        chosen_.clear();
        tasks_.clear();
    }

    // Tiles of the set's reads from the first on that `wanted` accepts; neighbours in length share
    // one, as many as lanes(length of the longest).
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

// What a thread without a tile takes from one that has one: reserved while it gets ready.
struct alignas(64) Tails : SharedTails {
    std::atomic<bool> reserved, done;
    Scratch kept;
};

// Whoever finds no tile left may take the tails of one under way, which is among the last.
class OfferedTails {
   public:
    // None is offered yet.
    void begin(const Tiles &tiles, int threads);
    // Once the tiles' plans are there.
    void offer();

    // How many threads may take tails: none where these are too short in any tile. `columns` of
    // them, or -1: what the plans say.
    int64_t takers(int64_t columns) const;

    // A tile's; null where it does all of its work itself.
    Tails *of(int64_t tile) const;

    // The tile whose tails the calling thread should take now, which no other one will; or -1.
    int64_t reserve();

    void trim();

   private:
    int64_t gain(int64_t tile) const;

    const Tiles *tiles_;
    int threads_;
    int64_t first_;  // of the tiles that may be offered
    std::vector<std::unique_ptr<Tails>> tails_;
};

// What one thread needs for a tile.
struct TileMemory {
    Scratch coefficients, workspace, results, letters;
    Planner planner;
    Plan plan;  // of some of a piece's haplotypes
    std::vector<Letters> haplotypes;
    std::vector<int32_t> chosen;

    // The tile's letters lie in this memory.
    Tile make_tile(const CpuSettings &settings, const gkl_shim_pairhmm_batch &batch,
                   const TileTask &task);

    void set_up(const TileKernel &kernel, const Tile &tile) {
        kernel.set_up(tile, coefficients.get(kernel.coefficients(tile.rows())));
    }

    TileBuffers buffers(const TileKernel &kernel, const Tile &tile, const PlanView &with) {
        return {coefficients.get(0), workspace.get(kernel.workspace(tile.rows(), with))};
    }

    // The kernel's results after its set-up, [join][lane]. Another thread may have taken the tails.
    const double *compute(const TileKernel &kernel, const Tile &tile, const PlanView &with,
                          Tails *tails = nullptr);

    // Plans the chosen ones.
    void plan_some(const std::vector<Letters> &all);

    void trim();
};

}  // namespace pairhmm
}  // namespace gkl_shim
