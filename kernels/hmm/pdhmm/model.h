// PDHMM: PairHMM for partially determined haplotypes. Its constants, its tables and the recurrence.
//
// A partially determined haplotype stands for many haplotypes. Each of its columns has a letter and
// flags (gkl_shim.h). A SNP flag names other letters that match there too. DEL_START and DEL_END
// mark columns that may be absent.
//
// GATK's LoglessPDPairHMM defines the recurrence. Beside match, insertion and deletion it fills
// three more tables, the branches, which carry the values that skip a deletion. A state (NORMAL,
// INSIDE_DEL, AFTER_DEL) says how a cell takes part; it follows the columns of a row, and the next
// row starts in the state in which the row above ended. That definition is equal to this one, which
// is what the engine computes:
//
//   - Every column follows PairHMM's recurrence. A SNP flag only changes its emissions.
//   - Before the first column of a deletion, the column of match, insertion and deletion values is
//     kept.
//   - At the deletion's last column, each of the three values is replaced by the larger of itself
//     and the kept one. So both ways are open: through the deleted letters, and past them. The
//     likelihood, the sum over the last row, takes the values from before the replacement.
//   - A DEL_START inside a deletion changes nothing; nor does one without a DEL_END. A DEL_END
//     without a DEL_START is a deletion of one column. A deletion that begins with the
//     haplotype changes nothing: the column before it is zero.
//   - A haplotype that ends inside a deletion is `open`: all rows but the first start inside one.
//     Then, for its first deletion, the kept values of all rows but the first are zero.
//
// The recurrence is computed in the scaled form of hmm/recurrence.h, in double precision, as GATK
// does. The scales are positive and belong to a row, so the larger value is the same in that form.
// Nothing but the replacement is not linear. A haplotype is cut after its last deletion, but not
// before its middle. Its tail is computed backward, as PairHMM computes tails, and joined.
//
// The order of all operations is fixed. So every build gives the same bits, and a pair's bits
// depend on the pair alone.
//
// Where PairHMM follows Intel GKL, PDHMM follows GATK's Java: the probability that a match follows
// a match is 1 - min(1, P[i] + P[d]), where the smaller probability counts as 0 if the qualities
// differ by 80 or more.
#pragma once

#include <stdint.h>

#include "hmm/recurrence.h"

namespace gkl_shim::pdhmm {

using namespace hmm;

// The flags of a column.
enum Flag : uint8_t {
    kSnp = 1,
    kDeletionStart = 2,
    kDeletionEnd = 4,
    kAlternativeA = 8,
    kAlternativeC = 16,
    kAlternativeG = 32,
    kAlternativeT = 64
};

// A gap quality is less than this; a base quality is a byte.
enum { kGapQualities = 128, kBaseQualities = 256 };

// The numbers from which the coefficients are made. Each struct holds four numbers that are needed
// together.
struct Tables {
    struct Gap {
        double mi, md, mm, inverse_alpha;
    };
    struct Emission {
        double agree, differ;  // 1 - P[q] and P[q] / 3
        double letters;        // space for the bits of a LetterSet
        double xx;             // space for the row's fourth quality
    };

    Gap gap[kGapQualities * kGapQualities];  // by insertion quality * 128 + deletion quality
    Emission emission[kBaseQualities];
    double probability[kGapQualities];
};

const Tables &tables();

}  // namespace gkl_shim::pdhmm
