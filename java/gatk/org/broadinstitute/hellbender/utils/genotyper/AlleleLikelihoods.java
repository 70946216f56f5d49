package org.broadinstitute.hellbender.utils.genotyper;

import java.util.List;

/** Part of GATK's class, with fields that the agent makes public. */
public class AlleleLikelihoods<EVIDENCE, A> {
    public List<List<EVIDENCE>> evidenceBySampleIndex;
    public double[][][] valuesBySampleIndex;

    public native int numberOfSamples();

    public native String getSample(int sampleIndex);

    public native List<EVIDENCE> sampleEvidence(int sampleIndex);
}
