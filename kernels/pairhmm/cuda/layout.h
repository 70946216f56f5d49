// What the planner writes and the CUDA kernels read: a chunk of work in one block of memory, so
// that it goes up in one transfer.
//
// The block is a ChunkHeader, then the arrays that its offsets name. A chunk is a list of tiles; a
// tile is the work of one warp: up to 32 lanes' worth of reads of one region against its
// haplotypes. A read takes as many neighbouring lanes as hold its rows, its last row in the last
// register of its last lane. A read that needs more lanes than a warp has is cut into stripes of
// rows, from its last row upwards; each is a tile of its own.
//
// A trie is walked as a stream of columns, depth first; where there are few tiles, as several, each
// with its share of the leaves. An event stands between two columns: keep the state, take another
// one up, or both.
#pragma once

#include "pairhmm/model.h"

namespace gkl_shim {
namespace pairhmm {

// The place of the event after the last.
constexpr uint32_t kNoEvent = 0xc0000000;

enum {
    kWarp = 32,
    // A lane reads letters from before its trie's first column and from behind the last: twice as
    // many as a stripe does columns about an event.
    kColumnMargin = 80,
    kNoRead = 255,
    // In the place of a state's number.
    kNone = -1,
    // Rows a lane of a striped read; how many columns a stripe takes from another at once, and how
    // many are left free before and behind a stream's: they are written four at a time.
    kStripedRows = 8,
    kRingColumns = 16,
    kSeamMargin = 4,
    // Each byte of the memory between stripes, before a kernel starts.
    kSeamFill = 0x80,
};

// Between two columns: a state is kept, then one taken up.
struct alignas(8) Event {
    uint32_t at;    // the place of the second one's letter, in bytes from the header
    uint32_t what;  // of the below
};

// A state's number is below this.
constexpr int32_t kMostStates = (1 << 14) - 1;

// `store`: the state to keep in, or kNone. `load`: the one to continue from, or kNone: the one in
// hand. `letter`: -1; of a tail, the letter of its last column, which is not in the stream:
// what is kept is the state's meeting with that column.
GKL_SHIM_BOTH inline uint32_t event_of(int32_t store, int32_t letter, int32_t load) {
    return uint32_t(letter + 1) << 28 | uint32_t(load + 1) << 14 | uint32_t(store + 1);
}
GKL_SHIM_BOTH inline int32_t store_of(uint32_t what) { return int32_t(what & 0x3fff) - 1; }
GKL_SHIM_BOTH inline int32_t load_of(uint32_t what) { return int32_t(what >> 14 & 0x3fff) - 1; }
GKL_SHIM_BOTH inline int32_t letter_of(uint32_t what) { return int32_t(what >> 28) - 1; }

// A stream of columns. States are numbered: the leaves of its trie, then the slots of the forks of
// each of its streams, then that before the first column.
struct TrieRecord {
    uint32_t columns,
        events;  // the first of its letters and of its events, in bytes from the header
    int32_t length;
    int32_t seam;  // where its columns begin in a stripe's seams
};

struct RegionRecord {
    int32_t tries;         // index of the first: streams of heads, then of tails
    int32_t heads, tails;  // how many streams
    int32_t haplotypes;    // index of the first
    int32_t haplotype_count;
    int32_t seam_columns;  // of a stripe's seams, all streams together
    int64_t seams;         // where the seams of its striped reads begin, in the scratch
    int64_t out;           // index of the result of its first read and haplotype
};

struct HaplotypeRecord {
    int32_t head, tail;  // leaves
    int32_t length, unused;
};

struct ReadRecord {
    int32_t start;  // of its bytes in the five arrays
    int32_t length;
    int32_t row;  // in its region's results
    uint8_t lane, lanes;
    uint16_t unused;
};

struct TileRecord {
    int32_t first_read;
    int32_t reads;                     // of a striped read's: where its stripes' seams begin
    int32_t head_states, tail_states;  // of its region
    int64_t scratch;                   // where its scratch begins, in bytes
    int32_t widest;                    // lanes of its longest read; of a striped read, which
                                       // stripe it is, from the top
    int32_t region;
    uint8_t read_of[kWarp];  // by lane; kNoRead where there is none
};

struct ChunkHeader {
    // Offsets in bytes from the header.
    int64_t bases, base_quals, insertion_quals, deletion_quals, continuation_quals;
    int64_t regions, tries, haplotypes, reads, tiles;
    int64_t continuation_mask;  // 0: all bases have the first one's gap-continuation quality
    int64_t started;  // in the scratch: an int32, how many warps of the striped kernel have begun;
                      // it counts from what kSeamFill makes
};

// What a block does.
enum Step {
    kWholeTile,
    kPass,  // the y-th stream of its region
    kJoin,  // the y-th part of the pairs
};

// The tables of model.h as the kernels want them, made with the same operations.
template <class T>
struct CudaTables {
    struct alignas(16) Gap {
        T alpha, inverse_alpha, mm, inverse_mm;
    };
    struct Emission {
        T agree, differ;
    };
    Gap gap[kQualities * kQualities];                 // [insertion][deletion]
    T backward_kappa[kQualities * (kQualities + 1)];  // [quality][of the row below, or none]
    Emission emission[kQualities];
    T probability[kQualities];
    uint8_t letter[256];  // of a byte
};

// A row's coefficients in the scratch memory, and its state: T, and D one column on.
template <class T>
struct alignas(4 * sizeof(T)) RowCoefficients {
    T a, c, xx, kappa;
};
template <class T>
struct alignas(2 * sizeof(T)) RowState {
    T t, d;
};

// What flows from a stripe's last row into the next stripe, in one column. A stripe has room for
// what it hands on in each stream: for the root (which the backward pass alone needs), a margin
// with it, and for each column, and a margin.
template <class T>
struct alignas(2 * sizeof(T)) Handed {
    T t, insertion;
};

GKL_SHIM_BOTH inline int64_t stripes_of(int64_t rows) {
    return (rows + kWarp * kStripedRows - 1) / (kWarp * kStripedRows);
}

// A tile's scratch: coefficients, backward kappas, then the states of heads and of tails, each with
// that before the first column behind the others. A state is that of all rows, then what belongs to
// each lane: the T above it, and its `ends`. The tiles of a striped read have it in common.
template <class T>
struct TileScratch {
    int64_t rows, state_size, backward_kappas, head_states, tail_states, bytes;

    GKL_SHIM_BOTH TileScratch(int rows_a_lane, int32_t heads, int32_t tails, int32_t stripes = 1) {
        rows = int64_t(kWarp) * rows_a_lane * stripes;
        state_size = rows + kWarp * stripes;
        backward_kappas = rows * int64_t(sizeof(RowCoefficients<T>));
        head_states = backward_kappas + rows * int64_t(sizeof(T));
        tail_states = head_states + (heads + 1) * state_size * int64_t(sizeof(RowState<T>));
        bytes = tail_states + (tails + 1) * state_size * int64_t(sizeof(RowState<T>));
    }
};

}  // namespace pairhmm
}  // namespace gkl_shim
