// The tables of model.h, made by IEEE operations alone.
#include "hmm/pdhmm/model.h"

#include <stdlib.h>

#include <algorithm>

#include "common/floating_point_mode.h"
#include "hmm/phred.h"

namespace gkl_shim::pdhmm {
namespace {

// From this difference of two qualities on, GATK's sum of their probabilities is the larger one.
constexpr int kNegligible = 80;

double match_probability(const double *probability, int i, int d) {
    const double sum = abs(i - d) < kNegligible ? probability[i] + probability[d]
                                                : std::max(probability[i], probability[d]);
    return sum < 1 ? 1 - sum : 0;
}

Tables *make_tables() {
    const FloatingPointMode mode;
    double p[kGapQualities];
    for (int q = 0; q < kGapQualities; q++) p[q] = hmm::phred_probability(q);
    Tables *t = new Tables;
    for (int q = 0; q < kBaseQualities; q++) {
        const double error = q < kGapQualities ? p[q] : p[q / 3] * p[q / 3] * p[q - 2 * (q / 3)];
        t->emission[q] = {1 - error, error / 3, 0, 0};
    }
    for (int i = 0; i < kGapQualities; i++) {
        t->probability[i] = p[i];
        for (int d = 0; d < kGapQualities; d++) {
            const double mm = match_probability(p, i, d);
            t->gap[i * kGapQualities + d] = {p[i], p[d], mm,
                                             hmm::scaled_inverse_alpha(mm, 1 / p[i])};
        }
    }
    return t;
}

}  // namespace

const Tables &tables() {
    static const Tables *const made = make_tables();
    return *made;
}

}  // namespace gkl_shim::pdhmm
