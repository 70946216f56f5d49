package org.broadinstitute.hellbender.utils.genotyper;

import java.util.List;

/** Part of GATK's class. */
public class AlleleLikelihoods<EVIDENCE, A> {
    public native int numberOfSamples();

    public native String getSample(int sampleIndex);

    public native List<EVIDENCE> sampleEvidence(int sampleIndex);
}
