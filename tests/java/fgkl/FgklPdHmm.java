package com.fulcrumgenomics.fgkl.pdhmm;

import java.io.File;
import java.util.Arrays;
import org.broadinstitute.gatk.nativebindings.pdhmm.HaplotypeDataHolder;
import org.broadinstitute.gatk.nativebindings.pdhmm.PDHMMNativeArguments;
import org.broadinstitute.gatk.nativebindings.pdhmm.PDHMMNativeBinding;
import org.broadinstitute.gatk.nativebindings.pdhmm.ReadDataHolder;

/** A stand-in for fgkl's class. Its likelihoods are all -1. */
public final class FgklPdHmm implements PDHMMNativeBinding {
    @Override
    public boolean load(File tempDir) {
        return true;
    }

    public String backend() {
        return "stand-in";
    }

    @Override
    public void initialize(PDHMMNativeArguments args) {}

    @Override
    public void computeLikelihoods(ReadDataHolder[] reads, HaplotypeDataHolder[] haplotypes,
            double[] likelihoods) {
        Arrays.fill(likelihoods, -1);
    }

    @Override
    public void done() {}
}
