package org.broadinstitute.gatk.nativebindings.pairhmm;

/** GATK's options for a native PairHMM. */
public class PairHMMNativeArguments {
    public int maxNumberOfThreads;
    public boolean useDoublePrecision;
}
