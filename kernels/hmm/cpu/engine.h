// The CPU engine of PairHMM and PDHMM. It cuts a batch into pieces of regions and computes these in
// chunks: it plans the pieces, lists tiles of their reads, and computes the tiles, in steps of
// rising precision. Each step is one parallel loop over a chunk. What the steps are is in
// pairhmm/precision_steps.cpp and pdhmm/precision_steps.cpp.
#pragma once

#include <stdint.h>

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "common/per_thread.h"
#include "hmm/cpu/tiles.h"

namespace gkl_shim::hmm {

// The pieces of one chunk after another. They keep their memory for the next chunks, up to a limit.
class Chunk {
   public:
    // Returns whether the chunk is large enough now.
    bool add(const Call &call, const Bounds &bounds);

    // Removes all pieces.
    void clear();

    int64_t count() const { return count_; }
    Piece &operator[](int64_t k) { return *pieces_[size_t(k)]; }
    int64_t letters() const { return letters_; }  // of all haplotypes

    // Calls each(piece, set).
    template <class Each>
    void for_each_set(Each each) const {
        for (int64_t k = 0; k < count_; k++) {
            const Piece &piece = *pieces_[size_t(k)];
            for (int32_t s = 0; s < piece.set_count(); s++) each(piece, piece.set(s));
        }
    }

   private:
    std::vector<std::unique_ptr<Piece>> pieces_;   // the first count_ are in use
    int64_t count_ = 0, letters_ = 0, bases_ = 0;  // of the pieces in use
    int64_t kept_ = 0;                             // bytes that all pieces keep
};

// An engine, and the memory that it keeps for later calls. It computes one call at a time.
class Engine {
   public:
    // Computes all pairs of a checked batch. Plans one chunk after another and calls steps() for
    // each. Returns the number of cells that it planned. Throws std::bad_alloc.
    int64_t compute(const Call &call, double *out, const std::function<void()> &steps);

    // The steps use what follows, for the chunk.

    const CpuSettings &settings() const { return call_->settings; }

    // The first step: computes the pairs of all reads up to a length, with the kernels of the call.
    // Returns whether pairs lack a result now: those not trusted, those of longer reads, and those
    // of sets without a plan.
    bool compute_all(int32_t longest);

    // Marks all results as missing.
    void mark_all();

    // Returns how many reads share a tile whose longest read has `rows` rows.
    typedef std::function<int32_t(const Piece &piece, const HaplotypeSet &set, int32_t rows)> Lanes;

    // Lists tiles of the reads that lack a result. Returns the number of pairs that lack one.
    int64_t list_missing(const Lanes &lanes);

    // Calls compute(task) for all listed tiles. A cell costs as much as `cost` of the first step's.
    void for_each_tile(const std::function<void(const TileTask &task)> &compute, int64_t cost = 1);

    // The reads of a tile, encoded for the kernels.
    Tile make_tile(const TileTask &task) const;

    // The haplotypes for which some read of a tile lacks a result.
    const std::vector<int32_t> &missing_haplotypes(const TileTask &task) const;

    // Calls compute(tile, haplotype, results) for one haplotype after another, with the reads of
    // the task that lack its result.
    void compute_missing(
        const TileTask &task,
        const std::function<void(const Tile &tile, int32_t h, double *results)> &compute) const;

    // The calling thread's.
    TileMemory &memory() const;

   private:
    int64_t compute_chunk(const std::function<void()> &steps);
    void parallel(int64_t count, int64_t cells, const std::function<void(int64_t k)> &task);
    void plan(int64_t k);
    void mark(const Piece &piece, const HaplotypeSet &set, int32_t read);
    void compute_tile(const TileTask &task);

    const Call *call_;
    Chunk chunk_;
    Tiles tiles_;
    int64_t cells_;                 // of the listed tiles
    std::atomic<bool> unfinished_;  // some pair lacks its result
};

// A caller's engine, which keeps its memory between calls.
extern const PerThread<std::unique_ptr<Engine>> engines;

}  // namespace gkl_shim::hmm
