// How reads are corrected and what became of them, for every engine.
#pragma once

#include "correct/search.h"

namespace gkl_shim::correct {

struct Settings {
    int threads;
    Method method;
    Limits limits;
};

// `begin` and `end` are the part to keep if the read is trimmed: all bases, or those of the longest
// run of solid k-mers if the read is unsolved and has one.
struct Outcome {
    int32_t state;  // a State
    int32_t begin, end;
    int32_t changes;
};

// Corrects a read whose weak k-mers have been found. `changes` of the outcome stays 0.
template <class WorkingRead>
GKL_SHIM_METHOD Outcome corrected(WorkingRead &read, Method method, const Limits &limits) {
    const State state = correct_read(read, method, limits);
    Outcome outcome = {state, 0, read.length(), 0};
    const int kmers = read.kmers();
    if (state != kUnsolved || read.next_solid(0) == kmers) return outcome;
    // The first one among equals.
    outcome.end = 0;
    for (int from = read.next_solid(0); from < kmers;) {
        const int to = read.next_weak(from), end = to - 1 + read.k();
        if (end - from > outcome.end - outcome.begin) {
            outcome.begin = from;
            outcome.end = end;
        }
        from = read.next_solid(to);
    }
    return outcome;
}

}  // namespace gkl_shim::correct
