package org.broadinstitute.hellbender.tools.walkers.haplotypecaller;

/** Part of GATK's class, with a field that the agent makes public. */
public final class PairHMMLikelihoodCalculationEngine {
    public byte[] pcrIndelErrorModelCache;
}
