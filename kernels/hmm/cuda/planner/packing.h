// The packing of reads into warps.
#pragma once

#include <stdint.h>

#include "hmm/cuda/kernels/block_format.h"

namespace gkl_shim::pairhmm {

// Rows a lane of the widest kernel, and a common divisor of all kernels' rows.
enum { kMaxRowsPerLane = 32, kLengthStep = 4 };

// The number of reads of each length, in steps. kLengthStep divides all widths, so reads of a step
// take the same number of lanes at each width.
class Lengths {
   public:
    enum { kMaxStep = kWarp * kMaxRowsPerLane / kLengthStep };

    static int step(int64_t length) { return int((length + kLengthStep - 1) / kLengthStep); }

    void add(int step) {
        count_[step]++;
        used_steps_[step / kBits] |= uint64_t(1) << (step % kBits);
    }

    // Calls visit(step, count) for each step that has reads, the longest first.
    template <class Visit>
    void each(Visit visit) const {
        for (int word = kMaxStep / kBits; word >= 0; word--)
            for (uint64_t left = used_steps_[word]; left;) {
                const int bit = kBits - 1 - __builtin_clzll(left);
                left ^= uint64_t(1) << bit;
                visit(word * kBits + bit, count_[word * kBits + bit]);
            }
    }

   private:
    enum { kBits = 64 };
    int32_t count_[kMaxStep + 1] = {};
    uint64_t used_steps_[kMaxStep / kBits + 1] = {};
};

// The reads that are packed into warps, counted by the lanes that they take. The next read of a
// warp is always the widest one that fits into the lanes left.
class Packer {
   public:
    // Adds `count` reads that take `lanes` lanes each. Reads with more lanes are added first.
    void add(int lanes, int32_t count) {
        const uint32_t bit = 1u << (lanes - 1);
        if (!(lanes_with_reads_ & bit)) by_lanes_[lanes] = {read_count_, read_count_};
        lanes_with_reads_ |= bit;
        read_count_ += count;
        by_lanes_[lanes].end = read_count_;
    }

    // Packs all reads. Calls place(read, lane, lanes) for each read of a tile, then end_tile().
    template <class Place, class EndTile>
    void pack(Place place, EndTile end_tile) {
        while (lanes_with_reads_) {
            for (int lane = 0, lanes; (lanes = widest(kWarp - lane)) > 0;) {
                ReadRange &reads = by_lanes_[lanes];
                do {
                    place(reads.next++, lane, lanes);
                    lane += lanes;
                } while (reads.next < reads.end && lane + lanes <= kWarp);
                drop_if_empty(lanes);
            }
            end_tile();
        }
    }

   private:
    struct ReadRange {  // reads that take the same number of lanes
        int32_t next, end;
    };

    // The lanes of the widest read that fits into `lanes` lanes; 0: none does.
    int widest(int lanes) const {
        if (lanes == 0) return 0;
        const uint32_t fit = lanes_with_reads_ & (0xffffffffu >> (kWarp - lanes));
        return fit ? kWarp - __builtin_clz(fit) : 0;
    }
    bool drop_if_empty(int lanes) {
        if (by_lanes_[lanes].next < by_lanes_[lanes].end) return false;
        lanes_with_reads_ &= ~(1u << (lanes - 1));
        return true;
    }

    ReadRange by_lanes_[kWarp + 1];
    uint32_t lanes_with_reads_ = 0;  // bit l - 1: there are reads that take l lanes
    int32_t read_count_ = 0;
};

}  // namespace gkl_shim::pairhmm
