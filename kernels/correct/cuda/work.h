// The arguments of the CUDA kernels. The kernels and the engine share these declarations.
// Addresses are in device memory.
#pragma once

#include "correct/model.h"
#include "correct/outcome.h"

namespace gkl_shim::correct {

enum { kThreads = 128, kWarp = 32, kWarps = kThreads / kWarp };

// A warp holds reads of fewer bases than this in shared memory, and others in device memory.
// Either way as planes of bits, one word for 32 bases: the low and the high bit of each base's
// code, the Ns, and the weak k-mers. One word follows each plane.
enum { kPlanes = 4, kSharedBases = 512, kSharedWords = kPlanes * (kSharedBases / 32 + 1) };

// The words of device memory for the planes of a read whose letters begin at `offset`, from the
// first word on for the planes of all reads.
GKL_SHIM_METHOD uint64_t plane_words(uint64_t offset, uint64_t read) {
    return offset / 8 + read * 2 * kPlanes;
}

struct ReadsWork {
    const uint8_t *letters;
    const uint32_t *offsets;  // count + 1
    int64_t count;
};

// Tables of counted k-mers: one for each partition that the device counts.
struct Tables {
    uint64_t *entries;
    int64_t size;  // entries of a table
    EntryLayout layout;
    const int16_t *numbers;    // of each partition's table, or -1
    uint32_t *overflowed;      // for each table, whether it lacked room for a k-mer
    unsigned long long *used;  // entries of all tables
};

struct CountWork {
    Hasher hasher;
    ReadsWork reads;
    Tables tables;
};

// What is left of the tables: the entries of k-mers that occur at least twice, at the beginning of
// each table, and their number. `histogram` is a Histogram of counter.h.
struct FinishWork {
    Tables tables;
    uint32_t *kept;
    unsigned long long *histogram;
};
enum { kFinishThreads = 256 };
// Words of shared memory of a block: the histogram, then what each warp keeps.
enum { kFinishWords = int(kMaxCount) + 1 + kFinishThreads / kWarp };

// Reads that are corrected where they are.
struct CorrectWork {
    SpectrumView spectrum;
    ReadsWork reads;
    uint8_t *letters;          // those of `reads`
    const uint8_t *qualities;  // or null
    Limits limits;
    uint32_t *planes;  // for long reads, or null if there is none
    Outcome *outcomes;
};

}  // namespace gkl_shim::correct
