package org.broadinstitute.hellbender.tools.walkers.haplotypecaller;

/** Part of GATK's class, with a field that the agent makes public. */
public final class RefVsAnyResult extends ReferenceConfidenceResult {
    public double[] genotypeLikelihoods;

    public RefVsAnyResult(int genotypes) {}
}
