// The arguments of the CUDA kernels. The kernels and the engine share these declarations.
// Addresses are in device memory.
#pragma once

#include "mem/model.h"

namespace gkl_shim::mem {

enum { kThreads = 128, kWarp = 32 };
// Seeds of the queries that a warp takes together, a tile. A few, because all its lanes wait for
// the seed with the most candidates. Several lanes share each seed.
enum { kTile = 8, kLanesOfSeed = kWarp / kTile };
// The index of a page: threads of a block, and seeds that it takes together, a slice.
enum { kIndexThreads = 512, kIndexSlice = 16384 };
// The most parts of the table of buckets: 44 KiB of shared memory hold a counter for each. A part
// should have this many seeds on average.
enum { kMaxParts = 11 << 10, kSeedsOfPart = 4096 };
// A block sorts up to 2^kSectionBits buckets. Words of shared memory that it needs: for the
// buckets, the seeds before them, and those of each warp.
enum { kSectionBits = 13, kSortWords = (1 << kSectionBits) + 1 + kIndexThreads / kWarp };
// Values that a warp sums up or scans.
enum { kScanTile = 1024 };
// The most matches at one position of a query that the device puts in order.
enum { kMaxOrdered = 2048 };

// End bytes around the letters of a text. The codes and the odd bits have as many places around
// them.
enum { kGuard = 512 };
// Letters that a warp makes, of which a lane makes 8 at a time.
enum { kRunLetters = 512 };

// A part of a text, and the letters that it is made of.
struct TextWork {
    const uint32_t *starts;  // of the sequences; the first is 0
    int64_t sequences;
    int64_t size;               // of the part, with an end byte after the last sequence
    const uint8_t *source;      // the letters of all these sequences
    bool source_has_end_bytes;  // whether `source` has an end byte after each sequence, too
    bool reversed;              // whether the text has the reverse complements of the sequences
    uint8_t end_byte;
    LetterTable table;
    uint8_t *letters;      // of the text, with kGuard end bytes before them
    uint8_t *codes, *odd;  // of these
    int64_t words;         // of 8 letters
};

// A seed of a page.
struct alignas(8) PageSeed {
    uint32_t bucket, position;
};

// The seeds of a page. Positions count from the first letter that is on the device.
struct SeedWork {
    Seeds seeds;
    TextView reference;
    int64_t first, count;  // the first seed's position, and the number of seeds
    int32_t shift;         // bucket >> shift is its part of the table
    int32_t parts;
    uint32_t *part_starts;  // of each part, and where the last one ends
    PageSeed *divided;      // the seeds of each part
    uint32_t *starts;       // of each bucket, as in Page
    // The same memory first holds the bucket of each seed, or -1, in the order of the text, and
    // later the positions, as in Page.
    union {
        int32_t *buckets;
        uint32_t *positions;
    };

    // A section is 2^section_bits() neighbouring buckets: a part, or some of its buckets. A block
    // sorts it.
    GKL_SHIM_METHOD int section_bits() const {
        return shift < kSectionBits ? shift : int(kSectionBits);
    }
    GKL_SHIM_METHOD int64_t sections() const {
        return ((seeds.buckets() - 1) >> section_bits()) + 1;
    }
};

// Seeds of queries that are looked up in a page, for the matches that start in [begin, end) of the
// queries. Only these are counted and written.
struct MatchWork {
    Seeds seeds;  // with the step of these queries
    int64_t min_length;
    TextView reference, queries;
    const uint32_t *starts, *positions;
    int64_t first, count;  // the first seed's position, and the number of seeds
    int64_t begin, end;
};

// A match, from the first letters that are on the device.
struct Found {
    uint32_t reference, query, length;
};

}  // namespace gkl_shim::mem
