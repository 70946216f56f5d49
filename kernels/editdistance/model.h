// The edit distance by dynamic programming. Both engines would use this file; there is one engine.
//
//   Rows i = 0..m of the first sequence, columns j = 0..n of the second:
//
//     D(0,j) = j,  D(i,0) = i
//     D(i,j) = min(D(i-1,j) + 1, D(i,j-1) + 1, D(i-1,j-1) + (first[i] != second[j]))
//
// Two letters are equal if their bytes are.
#pragma once

namespace gkl_shim {
namespace editdistance {

enum { kLongest = 1 << 14 };  // letters of a sequence

}  // namespace editdistance
}  // namespace gkl_shim
