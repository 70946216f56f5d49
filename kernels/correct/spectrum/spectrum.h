// The spectrum: the solid k-mers and their counts, for correction.
#pragma once

#include <stdint.h>

#include <memory>

#include "correct/model.h"
#include "correct/spectrum/counter.h"
#include "correct/spectrum/mapped.h"

namespace gkl_shim::correct {

class Spectrum {
   public:
    // Takes the k-mers out of the counter: the solid ones, which occur at least `threshold` times,
    // and the repeated ones, which occur at least `repeated` times. Throws std::bad_alloc, or
    // Failed if there are too many, and leaves them there then.
    Spectrum(Counter *counter, int threshold, int repeated, int threads);

    // Copies slots that slots() of another spectrum returned. Throws std::bad_alloc, or Failed if
    // they cannot be the slots of one.
    static std::unique_ptr<Spectrum> from_slots(int k, int threshold, uint64_t size,
                                                const uint32_t *slots, uint64_t count);

    SpectrumView view() const { return {slots_, size_, Hasher(k_), solid_from()}; }
    // No other spectrum of the process has this number.
    int64_t number() const { return number_; }
    int k() const { return k_; }
    int threshold() const { return threshold_; }
    uint64_t size() const { return size_; }
    const uint32_t *slots() const { return slots_; }
    uint64_t slot_count() const { return slot_count_; }
    // How many are solid.
    int64_t kmers() const { return kmers_; }

    // The share of absent k-mers that are taken for present ones, estimated from the slots that a
    // search compares.
    double false_positive_rate() const;

   private:
    Spectrum() : number_(next_number()) {}
    static int64_t next_number();
    struct Placing;
    void allocate(uint64_t count);
    uint32_t solid_from() const {
        return uint32_t(threshold_) < kMaxCount ? uint32_t(threshold_) : kMaxCount;
    }

    const int64_t number_;
    int threads_ = 1;
    int k_ = 0, threshold_ = 0;
    uint64_t size_ = 0, slot_count_ = 0;
    int64_t kmers_ = 0;
    Mapped memory_;
    uint32_t *slots_ = nullptr;
};

}  // namespace gkl_shim::correct
