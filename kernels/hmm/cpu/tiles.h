// The tiles of one step of a CPU engine.
#pragma once

#include <stdint.h>

#include <vector>

#include "hmm/cpu/piece.h"

namespace gkl_shim {
namespace hmm {

// Reads of a piece that are computed side by side against one set of its haplotypes.
template <class Method>
struct TileTask {
    const Piece<Method> *piece;
    const HaplotypeSet<Method> *set;
    int32_t count;
    const int32_t *reads;  // indices in the piece's reads, longest first

    int32_t rows() const { return piece->reads().length(reads[0]); }
    double &result(int32_t lane, int32_t haplotype) const {
        return piece->result(reads[lane], haplotype);
    }
};

template <class Method>
class Tiles {
   public:
    typedef TileTask<Method> Task;

    void clear() {
        chosen_.clear();
        tasks_.clear();
    }

    // Adds tiles for those of the piece's reads that `wanted` accepts. Reads of similar length
    // share a tile; lanes(length of the longest) says how many.
    template <class Wanted, class Lanes>
    void add(const Piece<Method> &piece, const HaplotypeSet<Method> &set, Wanted wanted,
             Lanes lanes) {
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
        for (Task &task : tasks_) {
            task.reads = next;
            next += task.count;
        }
    }

    int64_t count() const { return int64_t(tasks_.size()); }
    const Task &operator[](int64_t k) const { return tasks_[size_t(k)]; }

   private:
    std::vector<int32_t> chosen_;  // reads, tile by tile
    std::vector<Task> tasks_;
};

}  // namespace hmm
}  // namespace gkl_shim
