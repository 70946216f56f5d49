// The tables of model.h, made from +, -, *, / and fma alone. The pow of a C library would differ in
// its last bits between versions and processors.
#include "hmm/pairhmm/model.h"

#include "common/floating_point_mode.h"
#include "hmm/phred.h"

namespace gkl_shim::pairhmm {
namespace {

double natural_log(double x) {
    double exponent;
    const double mantissa = split<double, int64_t>(x, &exponent);
    return fma(exponent, 0.69314718055994531, log_ratio((mantissa - 1) / (mantissa + 1)));
}

// (1 - min(1, x))^g with g = 1 + h. s^(1+h) = s exp(h ln s), where |h ln s| < 1e-4.
double match_probability(double x) {
    const double s = 1 - x;
    if (!(s > 0)) return 0;
    const double h = 0.434294 * 2.3025850929940457 - 1;
    const double y = h * natural_log(s);
    return s * (1 + y * (1 + y * (0.5 + y * (1.0 / 6))));
}

template <class T>
Tables<T> *make_tables() {
    // The first tile to need the tables may run in another floating-point mode.
    const FloatingPointMode mode;
    Tables<T> *t = new Tables<T>;
    for (int i = 0; i < kQualities; i++) {
        const T p = t->probability[i] = T(phred_probability(i));
        for (int b = 0; b < kLetters; b++)
            t->emission[b * kQualities + i] = {1 - p, p / 3, T(b), 0};
    }
    for (int i = 0; i < kQualities; i++)
        for (int d = 0; d < kQualities; d++) {
            const T mm = T(match_probability(phred_probability(i) + phred_probability(d)));
            t->gap[i * kQualities + d] = {t->probability[i], t->probability[d], mm,
                                          scaled_inverse_alpha(mm, T(1 / phred_probability(i)))};
        }
    return t;
}

}  // namespace

const Tables<float> &single_tables() {
    static const Tables<float> *tables = make_tables<float>();
    return *tables;
}

const Tables<double> &double_tables() {
    static const Tables<double> *tables = make_tables<double>();
    return *tables;
}

}  // namespace gkl_shim::pairhmm
