package com.intel.gkl.pairhmm;

/** Replaces Intel's class of the same name, PairHMM with several threads. */
public final class IntelPairHmmOMP extends IntelPairHmm {
    public IntelPairHmmOMP() {
        super(true);
    }
}
