package org.broadinstitute.gatk.nativebindings.pairhmm;

import org.broadinstitute.gatk.nativebindings.NativeLibrary;

/** The methods of a native PairHMM that GATK calls. */
public interface PairHMMNativeBinding extends NativeLibrary {
    void initialize(PairHMMNativeArguments args);

    void computeLikelihoods(ReadDataHolder[] readDataArray,
            HaplotypeDataHolder[] haplotypeDataArray, double[] likelihoodArray);

    void done();
}
