// The data that the planner writes and the CUDA kernels read: one chunk of work in one block of
// memory, which is copied to the device in one transfer.
//
// The block is a ChunkHeader followed by the arrays that its offsets point to. A chunk is a list of
// tiles. A tile is the work of one warp: reads of one region that together fill up to 32 lanes,
// against all the region's haplotypes. A read takes as many neighbouring lanes as its rows need,
// and its last row is in the last register of its last lane. A read that needs more lanes than a
// warp has is cut into stripes of rows, starting from its last row; each stripe is a tile.
//
// The columns of a trie, depth first, are a stream. If there are few tiles, a trie is divided into
// several streams, each with its share of the leaves. Between two columns there may be an event:
// save the state, restore another one, or both.
#pragma once

#include "hmm/pairhmm/model.h"

namespace gkl_shim::pairhmm {

// The position of the sentinel after the last event.
constexpr uint32_t kNoEvent = 0xc0000000;

enum {
    kWarp = 32,
    // Lanes also read letters before the first column of their trie and after the last one: fewer
    // than twice the kWarp + 4 columns that a stripe computes around an event.
    kColumnMargin = 80,
    kNoRead = 255,
    // Stands for a state number where there is none.
    kNone = -1,
    // Of a striped read: rows per lane; columns that a stripe receives at once; free columns before
    // and after each stream's, because columns are written four at a time.
    kStripedRows = 8,
    kRingColumns = 16,
    kSeamMargin = 4,
    // Every byte of the seams is set to this before a kernel starts.
    kSeamFill = 0x80,
};

// Between two columns: save the state, then restore another one.
struct alignas(8) Event {
    uint32_t at;    // offset in bytes, from the header, of the letter of the column after the event
    uint32_t what;  // event_of()
};

// State numbers are less than this.
constexpr int32_t kMaxStates = (1 << 14) - 1;

// `store`: the number to save the state under, or kNone. `load`: the number of the state to
// continue from, or kNone to continue from the current one. `letter`: -1, or at the end of a tail
// the letter of its last column. That column is not in the stream; what is saved are its T' and c
// D'.
GKL_SHIM_BOTH inline uint32_t event_of(int32_t store, int32_t letter, int32_t load) {
    return uint32_t(letter + 1) << 28 | uint32_t(load + 1) << 14 | uint32_t(store + 1);
}
GKL_SHIM_BOTH inline int32_t store_of(uint32_t what) { return int32_t(what & 0x3fff) - 1; }
GKL_SHIM_BOTH inline int32_t load_of(uint32_t what) { return int32_t(what >> 14 & 0x3fff) - 1; }
GKL_SHIM_BOTH inline int32_t letter_of(uint32_t what) { return int32_t(what >> 28) - 1; }

// A stream of columns. States are numbered in this order: the leaves of the trie, the slots for the
// forks of each of its streams, the state before the first column.
struct TrieRecord {
    uint32_t columns,
        events;  // offsets in bytes, from the header, of its first letter and of its first event
    int32_t length;
    int32_t seam;  // index of its first column in a seam
};

struct RegionRecord {
    int32_t tries;         // index of the first: streams of heads, then of tails
    int32_t heads, tails;  // numbers of streams
    int32_t haplotypes;    // index of the first
    int32_t haplotype_count;
    int32_t seam_columns;  // columns of a seam, of all streams together
    int64_t seams;         // offset in the scratch of the seams of its striped reads
    int64_t out;           // index of the result of its first read with its first haplotype
};

struct HaplotypeRecord {
    int32_t head, tail;  // numbers of the leaves; a haplotype that is not cut has no tail: kNone
    int32_t length, unused;
};

struct ReadRecord {
    int32_t start;  // index of its first base in the five arrays
    int32_t length;
    int32_t row;  // its row in its region's results
    uint8_t lane, lanes;
    uint16_t unused;
};

struct TileRecord {
    int32_t first_read;
    int32_t reads;                     // of a striped read: the index of its first seam
    int32_t head_states, tail_states;  // of its region
    int64_t scratch;                   // offset in bytes of its scratch
    int32_t widest;  // lanes of its longest read; of a striped read: the number of this stripe,
                     // from the top
    int32_t region;
    uint8_t read_of[kWarp];  // the read of each lane, or kNoRead
};

struct ChunkHeader {
    // Offsets in bytes from the header.
    int64_t bases, base_quals, insertion_quals, deletion_quals, continuation_quals;
    int64_t regions, tries, haplotypes, reads, tiles;
    int64_t continuation_mask;  // 0: all bases have the gap-continuation quality of the first
    int64_t started;  // offset in the scratch of an int32: how many warps of the striped kernel
                      // have started, counted from the value that kSeamFill makes
};

// What a block computes.
enum Step {
    kWholeTile,
    kPass,  // stream blockIdx.y of its region
    kJoin,  // part blockIdx.y of the pairs
};

// The tables of model.h in the order in which the kernels read them, made by the same operations.
template <class T>
struct CudaTables {
    struct alignas(16) Gap {
        T alpha, inverse_alpha, mm, inverse_mm;
    };
    struct Emission {
        T agree, differ;
    };
    Gap gap[kQualities * kQualities];  // [insertion][deletion]
    T backward_kappa[kQualities *
                     (kQualities + 1)];  // [quality][quality of the row below, or kQualities]
    Emission emission[kQualities];
    T probability[kQualities];
    uint8_t letter[256];  // the letter of each byte
};

// A row's coefficients in the scratch, and its state: T, and D of the next column.
template <class T>
struct alignas(4 * sizeof(T)) RowCoefficients {
    T a, c, xx, kappa;
};
template <class T>
struct alignas(2 * sizeof(T)) RowState {
    T t, d;
};

// What flows from a stripe's last row into the next stripe in one column. For each stream a seam
// holds one margin, whose first place is the root's (only the backward pass needs it), then the
// columns, then another margin.
template <class T>
struct alignas(2 * sizeof(T)) BoundaryState {
    T t, insertion;
};

GKL_SHIM_BOTH inline int64_t stripes_of(int64_t rows) {
    return (rows + kWarp * kStripedRows - 1) / (kWarp * kStripedRows);
}

// The shared memory of a block with this many rows per lane, in bytes: the emissions of each lane
// for each letter, then the states that it restores at the next event, and 16 bytes of its own
// numbers.
template <class T>
GKL_SHIM_BOTH constexpr int32_t shared_bytes(int32_t rows_per_lane) {
    return kWarp * (rows_per_lane * int32_t(kLetters * sizeof(T) + sizeof(RowState<T>)) + 16);
}

// A tile's scratch: coefficients, backward kappas, the states of heads, the states of tails. The
// state before the first column follows the other states of each kind. A state holds all rows, then
// two numbers of each lane: the T above it and its `end_sum`. All tiles of a striped read share one
// scratch.
template <class T>
struct TileScratch {
    int64_t rows, state_size, backward_kappas, head_states, tail_states, bytes;

    GKL_SHIM_BOTH TileScratch(int rows_per_lane, int32_t heads, int32_t tails,
                              int32_t stripes = 1) {
        rows = int64_t(kWarp) * rows_per_lane * stripes;
        state_size = rows + kWarp * stripes;
        backward_kappas = rows * int64_t(sizeof(RowCoefficients<T>));
        head_states = backward_kappas + rows * int64_t(sizeof(T));
        tail_states = head_states + (heads + 1) * state_size * int64_t(sizeof(RowState<T>));
        bytes = tail_states + (tails + 1) * state_size * int64_t(sizeof(RowState<T>));
    }
};

}  // namespace gkl_shim::pairhmm
