package com.fulcrumgenomics.fgkl.pairhmm;

import java.io.File;
import java.util.Arrays;
import org.broadinstitute.gatk.nativebindings.pairhmm.HaplotypeDataHolder;
import org.broadinstitute.gatk.nativebindings.pairhmm.PairHMMNativeArguments;
import org.broadinstitute.gatk.nativebindings.pairhmm.PairHMMNativeBinding;
import org.broadinstitute.gatk.nativebindings.pairhmm.ReadDataHolder;

/** A stand-in for fgkl's class. Its likelihoods are all -1. */
public final class FgklPairHmm implements PairHMMNativeBinding {
    @Override
    public boolean load(File tempDir) {
        return true;
    }

    public String backend() {
        return "stand-in";
    }

    @Override
    public void initialize(PairHMMNativeArguments args) {}

    @Override
    public void computeLikelihoods(ReadDataHolder[] reads, HaplotypeDataHolder[] haplotypes,
            double[] likelihoods) {
        Arrays.fill(likelihoods, -1);
    }

    @Override
    public void done() {}
}
