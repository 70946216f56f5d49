#include "hmm/pdhmm/plain.h"

#include <math.h>

#include <algorithm>

namespace gkl_shim::pdhmm {
namespace {

// A number with an exponent of 64 bits. The mantissa is 0 or in [0.5, 1).
struct Wide {
    double mantissa = 0;
    int64_t exponent = 0;

    Wide() = default;
    Wide(double x) : Wide(x, 0) {}
    Wide(double x, int64_t shift) {
        int e = 0;
        mantissa = frexp(x, &e);
        exponent = shift + e;
    }
};

Wide operator*(const Wide &a, const Wide &b) {
    return {a.mantissa * b.mantissa, a.exponent + b.exponent};
}

Wide operator+(const Wide &a, const Wide &b) {
    if (a.mantissa == 0) return b;
    if (b.mantissa == 0) return a;
    const Wide &large = a.exponent > b.exponent ? a : b, &small = a.exponent > b.exponent ? b : a;
    const int64_t shift = small.exponent - large.exponent;
    if (shift < -64) return large;
    return {large.mantissa + ldexp(small.mantissa, int(shift)), large.exponent};
}

bool operator<(const Wide &a, const Wide &b) {
    if (a.mantissa == 0 || b.mantissa == 0) return a.mantissa < b.mantissa;
    return a.exponent != b.exponent ? a.exponent < b.exponent : a.mantissa < b.mantissa;
}

double log10_of(const Wide &x, double start_exponent) {
    // A sum of doubles can overflow. Its logarithm is infinite then, as in Java.
    if (!isfinite(x.mantissa)) return x.mantissa;
    return x.mantissa > 0 ? hmm::log10_likelihood<double, int64_t>(
                                x.mantissa, 1, start_exponent - double(x.exponent))
                          : -HUGE_VAL;
}

// The values of one cell.
template <class Number>
struct Cell {
    Number m{}, i{}, d{};
};

template <class Number>
Cell<Number> larger(const Cell<Number> &a, const Cell<Number> &b) {
    return {std::max(a.m, b.m), std::max(a.i, b.i), std::max(a.d, b.d)};
}

template <class Number>
double likelihood(double start_exponent, const ReadView &read, int64_t length,
                  const std::vector<LetterSet> &letters, const LetterSet *letters_of_base,
                  const std::vector<Deletion> &deletions) {
    const Tables &t = tables();
    const Number start = Number(ldexp(1.0, int(start_exponent)) / double(length));
    const size_t columns = size_t(length);
    // above[j]: the row above, column j + 1, after a deletion's end as merged.
    std::vector<Cell<Number>> above(columns);
    for (Cell<Number> &cell : above) cell.d = start;
    Number sum{};
    for (int32_t row = 0; row < read.length; row++) {
        const unsigned i = read.insertion_quals[row], d = read.deletion_quals[row];
        const Tables::Gap &gap = t.gap[i * kGapQualities + d];
        const double xx = t.probability[read.continuation_quals[row]], gm = 1 - xx;
        const Tables::Emission &emission = t.emission[read.base_quals[row]];
        const LetterSet base = letters_of_base[read.letters[row]];
        Cell<Number> diagonal, left, kept;
        if (row == 0) diagonal.d = start;
        auto deletion = deletions.begin();
        sum = Number();
        for (size_t k = 0; k < columns; k++) {
            if (deletion != deletions.end() && int64_t(k) == deletion->first)
                kept = deletion->open && row > 0 ? Cell<Number>() : left;
            const Cell<Number> up = above[k];
            Cell<Number> cell;
            const double prior = letters[k] & base ? emission.agree : emission.differ;
            cell.m = Number(prior) * (diagonal.m * Number(gap.mm) + diagonal.i * Number(gm) +
                                      diagonal.d * Number(gm));
            cell.d = left.m * Number(gap.md) + left.d * Number(xx);
            cell.i = up.m * Number(gap.mi) + up.i * Number(xx);
            sum = sum + (cell.m + cell.i);
            if (deletion != deletions.end() && int64_t(k) == deletion->last) {
                cell = larger(cell, kept);
                deletion++;
            }
            diagonal = up;
            left = above[k] = cell;
        }
    }
    return log10_of(sum, start_exponent);
}

}  // namespace

double plain_likelihood(bool as_gatk, const Alphabet &alphabet, const ReadView &read,
                        const Haplotype &haplotype, PlainMemory *memory) {
    find_deletions(haplotype.flags, haplotype.length, &memory->deletions);
    memory->letters.resize(size_t(haplotype.length));
    for (int64_t k = 0; k < haplotype.length; k++)
        memory->letters[size_t(k)] = letters_of(alphabet, haplotype.letters[k], haplotype.flags[k]);
    return as_gatk ? likelihood<double>(1020, read, haplotype.length, memory->letters,
                                        alphabet.letters, memory->deletions)
                   : likelihood<Wide>(0, read, haplotype.length, memory->letters, alphabet.letters,
                                      memory->deletions);
}

}  // namespace gkl_shim::pdhmm
