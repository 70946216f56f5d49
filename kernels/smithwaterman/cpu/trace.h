// The trace back, for kernel.inc and exact.cpp. Each has its own copy, for its own instruction set.
#pragma once

#include "smithwaterman/cpu/build.h"

namespace gkl_shim {
namespace smithwaterman {
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
//     bool here()                   false if the cell's flags are not there
//     unsigned flags()              of that cell
//     bool is_not_diagonal()        one of them, which is often all that is needed
//     void up(), void left()        go to a neighbour
template <class Cell>
inline void follow(Cell cell, Path *given) {
    Path path = *given;
    while (path.i > 0 && path.j > 0 && cell.here()) {
        if (path.gap || cell.is_not_diagonal()) {
            const unsigned flags = cell.flags();
            if (path.gap == kInsertion && flags & kOpensE) path.gap = 0;
            if (path.gap == kDeletion && flags & kOpensF) path.gap = 0;
            if (!path.gap && flags & kNotDiagonal)
                path.gap = flags & kDown ? char(kDeletion) : char(kInsertion);
        }
        const char kind = path.gap ? path.gap : char(kMatch);
        if (kind != path.kind) {
            if (path.length > 0) path.text = put(path.text, path.length, path.kind);
            path.kind = kind;
            path.length = 0;
        }
        path.length++;
        if (kind != kDeletion) {
            path.j--;
            cell.left();
        }
        if (kind != kInsertion) {
            path.i--;
            cell.up();
        }
    }
    *given = path;
}

}  // namespace
}  // namespace smithwaterman
}  // namespace gkl_shim
