// The format of a chunk, which the planner writes and the CUDA kernels read. A chunk is one block
// of memory, so that it is sent in one transfer.
//
// The block begins with a ChunkHeader. The header has the offsets of the arrays that follow. A
// chunk is a list of tiles. A tile is the work of one warp: reads of one region, which fill up to
// 32 lanes, against all haplotypes of the region. A read takes the neighbouring lanes that its rows
// need; its last row is in the last register of its last lane. A read that needs more lanes than a
// warp has is cut into stripes of rows, from its last row upwards, and each stripe is a tile.
//
// A trie is computed as a stream of columns, depth first. If there are few tiles, a trie becomes
// several streams, each with a share of the leaves. An event lies between two columns: store the
// state, load another one, or both.
#pragma once

#include "pairhmm/model.h"

namespace gkl_shim {
namespace pairhmm {

// Event::at of the end of a stream's events.
constexpr uint32_t kNoEvent = 0xc0000000;

enum {
    kWarp = 32,
    // Letters that a lane may read before its trie's first column and after the last: twice the
    // columns that a stripe computes around an event.
    kColumnMargin = 80,
    kNoRead = 255,
    kNone = -1,  // in place of a state's number
    // Of striped reads: rows a lane; columns that a stripe takes over from another at once; and
    // columns left free before and after a stream's, since four are written at a time.
    kStripedRows = 8,
    kRingColumns = 16,
    kSeamMargin = 4,
    // The value of each byte of the memory between stripes before a kernel starts.
    kSeamFill = 0x80,
};

// Between two columns: store a state, then load one.
struct alignas(8) Event {
    uint32_t at;    // the letter of the second column, as an offset from the header
    uint32_t what;  // from event_of()
};

// Numbers of states are below this.
constexpr int32_t kMostStates = (1 << 14) - 1;

// `store`: the number to store the state under, or kNone. `load`: the state to continue from, or
// kNone: the present one. `letter`: -1; at the end of a tail, the letter of its last column, which
// is not in the stream: what is stored is the state joined with that column.
GKL_SHIM_BOTH inline uint32_t event_of(int32_t store, int32_t letter, int32_t load) {
    return uint32_t(letter + 1) << 28 | uint32_t(load + 1) << 14 | uint32_t(store + 1);
}
GKL_SHIM_BOTH inline int32_t store_of(uint32_t what) { return int32_t(what & 0x3fff) - 1; }
GKL_SHIM_BOTH inline int32_t load_of(uint32_t what) { return int32_t(what >> 14 & 0x3fff) - 1; }
GKL_SHIM_BOTH inline int32_t letter_of(uint32_t what) { return int32_t(what >> 28) - 1; }

// A stream of columns. States are numbered in this order: the leaves of the trie, the slots for
// forks of each of its streams, the state before the first column.
struct TrieRecord {
    uint32_t columns,
        events;  // its first letter and its first event, as offsets from the header
    int32_t length;
    int32_t seam;  // where its columns begin among a stripe's seams
};

struct RegionRecord {
    int32_t tries;         // index of the first stream: those of heads, then those of tails
    int32_t heads, tails;  // streams
    int32_t haplotypes;    // index of the first
    int32_t haplotype_count;
    int32_t seam_columns;  // of a stripe's seams, for all streams
    int64_t seams;         // of its striped reads, as an offset in the scratch memory
    int64_t out;           // index of the result of its first read and haplotype
};

struct HaplotypeRecord {
    int32_t head, tail;  // leaves
    int32_t length, unused;
};

struct ReadRecord {
    int32_t start;  // index in the five arrays of bases and qualities
    int32_t length;
    int32_t row;  // in its region's results
    uint8_t lane, lanes;
    uint16_t unused;
};

struct TileRecord {
    int32_t first_read;
    int32_t reads;                     // of a stripe: where the seams of its read's stripes begin
    int32_t head_states, tail_states;  // of its region
    int64_t scratch;                   // offset of its scratch memory
    int32_t widest;                    // lanes of its longest read; of a stripe, its number,
                                       // counted from the top
    int32_t region;
    uint8_t read_of[kWarp];  // the read of each lane, or kNoRead
};

struct ChunkHeader {
    // Offsets from the header, in bytes.
    int64_t bases, base_quals, insertion_quals, deletion_quals, continuation_quals;
    int64_t regions, tries, haplotypes, reads, tiles;
    int64_t continuation_mask;  // 0: all bases have the first one's gap-continuation quality
    int64_t started;  // offset in the scratch memory of an int32: how many warps of the striped
                      // kernel have begun, counted from the value that kSeamFill gives it
};

// What a launch computes of its tiles.
enum Step {
    kWholeTile,
    kPass,  // block y: stream y of the tile's region
    kJoin,  // block y: part y of the pairs
};

// The tables of model.h in the kernels' format, made with the same operations.
template <class T>
struct CudaTables {
    struct alignas(16) Gap {
        T alpha, inverse_alpha, mm, inverse_mm;
    };
    struct Emission {
        T agree, differ;
    };
    Gap gap[kQualities * kQualities];                 // [insertion][deletion]
    T backward_kappa[kQualities * (kQualities + 1)];  // [quality][that of the row below, or none]
    Emission emission[kQualities];
    T probability[kQualities];
    uint8_t letter[256];  // of each byte
};

// A row's coefficients in the scratch memory, and its state: T, and D of the next column.
template <class T>
struct alignas(4 * sizeof(T)) RowCoefficients {
    T a, c, xx, kappa;
};
template <class T>
struct alignas(2 * sizeof(T)) RowState {
    T t, d;
};

// The numbers of a stripe's last row in one column, which the next stripe needs. For each stream a
// stripe has room for them: a margin, which holds those of the root too (only the backward pass
// needs them), one place for each column, and a margin.
template <class T>
struct alignas(2 * sizeof(T)) Handed {
    T t, insertion;
};

GKL_SHIM_BOTH inline int64_t stripes_of(int64_t rows) {
    return (rows + kWarp * kStripedRows - 1) / (kWarp * kStripedRows);
}

// A tile's scratch memory: coefficients, backward kappas, the states of heads, the states of tails.
// The state before the first column follows the others. A state has the numbers of all rows, then
// those of each lane: the T above it, and its `ends`. All tiles of a striped read share one.
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
