// The probabilities of Phred qualities.
#pragma once

namespace gkl_shim::hmm {

// 10^(-q/10), with the same bits everywhere: it is made by IEEE operations, not by a library
// function. Expects the floating-point mode of FloatingPointMode.
double phred_probability(int q);

}  // namespace gkl_shim::hmm
