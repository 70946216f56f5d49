package com.intel.gkl.pairhmm;

/** Takes the place of Intel's class of this name: PairHMM with several threads. */
public final class IntelPairHmmOMP extends IntelPairHmm {
    public IntelPairHmmOMP() {
        super(true);
    }
}
