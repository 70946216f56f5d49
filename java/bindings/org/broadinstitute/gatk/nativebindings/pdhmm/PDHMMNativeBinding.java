package org.broadinstitute.gatk.nativebindings.pdhmm;

import org.broadinstitute.gatk.nativebindings.NativeLibrary;

/** What GATK calls of a native PDHMM. */
public interface PDHMMNativeBinding extends NativeLibrary {
    void initialize(PDHMMNativeArguments args);

    void computeLikelihoods(ReadDataHolder[] readDataArray,
            HaplotypeDataHolder[] haplotypeDataArray, double[] likelihoodArray);

    void done();
}
