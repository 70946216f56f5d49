package org.broadinstitute.gatk.nativebindings.pairhmm;

import org.broadinstitute.gatk.nativebindings.NativeLibrary;

/** What GATK calls of a native PairHMM. */
public interface PairHMMNativeBinding extends NativeLibrary {
    void initialize(PairHMMNativeArguments args);

    void computeLikelihoods(ReadDataHolder[] readDataArray,
            HaplotypeDataHolder[] haplotypeDataArray, double[] likelihoodArray);

    void done();
}
