// The trace back, for kernel.inc and exact.cpp. Each has its own copy, for its own instruction set.
#pragma once

#include "smithwaterman/cpu/build.h"

namespace gkl_shim::smithwaterman {
namespace {

// Writes one element of the CIGAR in front of the text.
inline char *put(char *text, int64_t length, char kind) {
    *--text = kind;
    do *--text = char('0' + length % 10);
    while ((length /= 10) != 0);
    return text;
}

// A cell's flags.
enum : unsigned {
    kNotDiagonal = 1,  // H comes from E or F
    kDown = 2,         // F is greater than E
    kOpensE = 4,       // the gap of E(i,j+1) starts here, rather than being extended
    kOpensF = 8        // the gap of F(i+1,j) starts here
};

// `Cell` finds the flags of the path's cell:
//     bool has_flags()                   false if the cell's flags are not there
//     unsigned flags()              of that cell
//     void up(), void left()        go to a neighbour
//     int64_t diagonal(most)        follows the diagonal while H comes from there and the flags are
//                                   there, at most `most` cells, and returns how many
template <class Cell>
inline void follow(Cell cell, Path *result) {
    Path path = *result;
    const auto add = [&](char kind, int64_t length) {
        if (kind != path.kind) {
            if (path.length > 0) path.text = put(path.text, path.length, path.kind);
            path.kind = kind;
            path.length = 0;
        }
        path.length += length;
    };
    while (path.i > 0 && path.j > 0 && cell.has_flags()) {
        if (!path.gap) {
            const int64_t matches = cell.diagonal(path.i < path.j ? path.i : path.j);
            if (matches > 0) {
                add(kMatch, matches);
                path.i -= matches;
                path.j -= matches;
                continue;
            }
        }
        const unsigned flags = cell.flags();
        if (path.gap == kInsertion && flags & kOpensE) path.gap = 0;
        if (path.gap == kDeletion && flags & kOpensF) path.gap = 0;
        if (!path.gap) {
            if (!(flags & kNotDiagonal)) continue;
            path.gap = flags & kDown ? char(kDeletion) : char(kInsertion);
        }
        const char kind = path.gap;
        add(kind, 1);
        if (kind != kDeletion) {
            path.j--;
            cell.left();
        }
        if (kind != kInsertion) {
            path.i--;
            cell.up();
        }
    }
    *result = path;
}

}  // namespace
}  // namespace gkl_shim::smithwaterman
