// A chunk of a batch: the pieces of regions that a CPU engine computes together.
#pragma once

#include <stdint.h>

#include <memory>
#include <vector>

#include "hmm/cpu/memory.h"
#include "hmm/cpu/piece.h"

namespace gkl_shim {
namespace hmm {

// The pieces of one chunk after another. They keep their memory for the next chunks, up to a limit.
template <class Method>
class Chunk {
   public:
    // Returns whether the chunk is large enough now.
    bool add(const typename Method::Call &call, const Bounds &bounds) {
        if (int64_t(pieces_.size()) == count_) pieces_.push_back(std::make_unique<Piece<Method>>());
        Piece<Method> &piece = *pieces_[size_t(count_++)];
        kept_ -= piece.kept_bytes();
        piece.begin(call, bounds);
        kept_ += piece.kept_bytes();
        const int64_t *reads = call.batch.read_offsets + bounds.first_read;
        letters_ += piece.letters();
        bases_ += reads[bounds.reads] - reads[0] + piece.letters() +
                  (bounds.reads + bounds.haplotypes) * kSequenceBases + kRegionBases;
        return bases_ >= kChunkBases;
    }

    // Removes all pieces.
    void clear() {
        if (kept_ > int64_t(kKeptBytes)) {
            pieces_.clear();
            kept_ = 0;
        }
        count_ = letters_ = bases_ = 0;
    }

    int64_t count() const { return count_; }
    Piece<Method> &operator[](int64_t k) { return *pieces_[size_t(k)]; }
    int64_t letters() const { return letters_; }  // of all haplotypes

    // Calls each(piece, set).
    template <class Each>
    void for_each_set(Each each) const {
        for (int64_t k = 0; k < count_; k++) {
            const Piece<Method> &piece = *pieces_[size_t(k)];
            for (int32_t s = 0; s < piece.set_count(); s++) each(piece, piece.set(s));
        }
    }

   private:
    std::vector<std::unique_ptr<Piece<Method>>> pieces_;  // the first count_ are in use
    int64_t count_ = 0, letters_ = 0, bases_ = 0;         // of the pieces in use
    int64_t kept_ = 0;                                    // bytes that all pieces keep
};

}  // namespace hmm
}  // namespace gkl_shim
