// The probabilities of Phred qualities.
#pragma once

namespace gkl_shim::hmm {

// 10^(-q/10), with the same bits everywhere: it is made by IEEE operations, not by a library
// function. Expects the floating-point mode of FloatingPointMode.
inline double phred_probability(int q) {
    // A literal for the tenths, and an exact power of ten.
    static const double tenths[10] = {1.0,
                                      0.79432823472428150,
                                      0.63095734448019325,
                                      0.50118723362727229,
                                      0.39810717055349725,
                                      0.31622776601683794,
                                      0.25118864315095801,
                                      0.19952623149688797,
                                      0.15848931924611135,
                                      0.12589254117941673};
    double power = 1;
    for (int k = 0; k < q / 10; k++) power *= 10;
    return tenths[q % 10] / power;
}

}  // namespace gkl_shim::hmm
