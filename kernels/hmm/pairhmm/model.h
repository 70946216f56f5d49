// The pair hidden Markov model: its constants and its tables. hmm/recurrence.h has the recurrence.
//
// Every engine uses this file, so all give the same bits. The formulas below, with the order of
// their operations, are part of the contract:
//
//   Rows r = 1..m of a read, columns j = 1..n of a haplotype. With Phred qualities q (base), i and
//   d (gap open, insertion and deletion), c (gap continuation):
//
//     lambda(r,b) = 1 - P[q]  where the read's base equals the haplotype's letter b or either is N,
//                   P[q] / 3  otherwise                                       P[q] = 10^(-q/10)
//     mi = P[i]   md = P[d]   xx = P[c]   gm = 1 - xx   mm = max(0, 1 - (mi + md))^g
//
//   A haplotype's cut depends on the region's set of haplotypes alone. So a pair's bits do not
//   depend on the region's other reads or on other regions.
//
// The recurrence is GATK's (Poplin et al. 2017, doi:10.1101/201178; Durbin et al. 1998, chapter 4).
// The exponent g = 0.434294 ln 10 is Intel GKL's: it writes 1/ln 10 in six digits.
#pragma once

#include "hmm/alphabet.h"
#include "hmm/recurrence.h"

namespace gkl_shim::pairhmm {

using namespace hmm;

// A quality byte is used modulo 128.
enum { kQualities = 128 };

// Rounding errors accumulate along a read, so longer reads are computed in double precision from
// the start.
enum { kLongestSingleRead = 1024 };

// The numbers from which the coefficients are made, as functions of quality bytes. Each struct
// holds four numbers that are always needed together.
template <class T>
struct Tables {
    struct Gap {
        T mi, md, mm, inverse_alpha;
    };
    struct Emission {
        T agree, differ;  // 1 - P[q] and P[q] / 3
        T letter;         // row of the table, as a number
        T xx;             // space for the row's fourth quality
    };

    Gap gap[kQualities * kQualities];          // by insertion quality * 128 + deletion quality
    Emission emission[kLetters * kQualities];  // by letter * 128 + base quality
    T probability[kQualities];                 // P[q]
};

// The tables have the same bits everywhere: they are made by IEEE operations, not by library
// functions.
#if !defined(__CUDACC__)
const Tables<float> &single_tables();
const Tables<double> &double_tables();
#endif

}  // namespace gkl_shim::pairhmm
