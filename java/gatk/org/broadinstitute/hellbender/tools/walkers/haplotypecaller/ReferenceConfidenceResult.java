package org.broadinstitute.hellbender.tools.walkers.haplotypecaller;

/** Part of GATK's class. */
public abstract class ReferenceConfidenceResult {
    public int refDepth;
    public int nonRefDepth;
}
