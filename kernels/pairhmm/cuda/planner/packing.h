// The packing of reads into warps.
#pragma once

#include <stdint.h>

#include "pairhmm/cuda/kernels/block_format.h"

namespace gkl_shim {
namespace pairhmm {

// Rows a lane of the widest kernel, and a common divisor of all kernels' rows.
enum { kWidest = 20, kStep = 4 };

// Counts reads by length, in steps. kStep divides all widths, so reads of a step take the same
// number of lanes at each width.
class Lengths {
   public:
    enum { kMost = kWarp * kWidest / kStep };

    static int step(int64_t length) { return int((length + kStep - 1) / kStep); }

    void add(int step) {
        count_[step]++;
        there_[step / kBits] |= uint64_t(1) << (step % kBits);
    }

    // Calls take(step, count) for each step that has reads, the longest first.
    template <class Take>
    void each(Take take) const {
        for (int word = kMost / kBits; word >= 0; word--)
            for (uint64_t left = there_[word]; left;) {
                const int bit = kBits - 1 - __builtin_clzll(left);
                left ^= uint64_t(1) << bit;
                take(word * kBits + bit, count_[word * kBits + bit]);
            }
    }

   private:
    enum { kBits = 64 };
    int32_t count_[kMost + 1] = {};
    uint64_t there_[kMost / kBits + 1] = {};
};

// Fills warps with reads. Next comes the widest read that fits into the lanes left.
class Packer {
   public:
    // Adds `count` reads that take `lanes` lanes each. Reads with more lanes are added first.
    void add(int lanes, int32_t count) {
        const uint32_t kind = 1u << (lanes - 1);
        if (!(kinds_ & kind)) of_[lanes] = {total_, total_};
        kinds_ |= kind;
        total_ += count;
        of_[lanes].end = total_;
    }

    // Packs all reads. Calls take(read, lane, lanes) for each read of a tile, then end_tile().
    template <class Take, class EndTile>
    void pack(Take take, EndTile end_tile) {
        while (kinds_) {
            for (int lane = 0, lanes; (lanes = widest(kWarp - lane)) > 0;) {
                Kind &kind = of_[lanes];
                do {
                    take(kind.next++, lane, lanes);
                    lane += lanes;
                } while (kind.next < kind.end && lane + lanes <= kWarp);
                drop_if_empty(lanes);
            }
            end_tile();
        }
    }

    // The same, but only counts the tiles.
    int32_t tiles() {
        int32_t count = 0;
        while (kinds_) {
            const int first = widest(kWarp), together = kWarp / first;
            if (widest(kWarp - together * first) == 0) {
                // No narrower read fills these tiles up: all but the last are alike.
                Kind &kind = of_[first];
                const int32_t full = (kind.end - kind.next) / together;
                kind.next += full * together;
                count += full;
                if (drop_if_empty(first)) continue;
            }
            for (int left = kWarp, lanes; (lanes = widest(left)) > 0;) {
                Kind &kind = of_[lanes];
                do {
                    kind.next++;
                    left -= lanes;
                } while (kind.next < kind.end && lanes <= left);
                drop_if_empty(lanes);
            }
            count++;
        }
        return count;
    }

   private:
    struct Kind {  // reads that take the same number of lanes
        int32_t next, end;
    };

    // The lanes of the widest read that fits into `lanes` lanes; 0: none does.
    int widest(int lanes) const {
        if (lanes == 0) return 0;
        const uint32_t fit = kinds_ & (0xffffffffu >> (kWarp - lanes));
        return fit ? kWarp - __builtin_clz(fit) : 0;
    }
    bool drop_if_empty(int lanes) {
        if (of_[lanes].next < of_[lanes].end) return false;
        kinds_ &= ~(1u << (lanes - 1));
        return true;
    }

    Kind of_[kWarp + 1];
    uint32_t kinds_ = 0;  // bit l - 1: there are reads that take l lanes
    int32_t total_ = 0;
};

}  // namespace pairhmm
}  // namespace gkl_shim
