package org.broadinstitute.hellbender.tools.walkers.genotyper;

/** Part of GATK's class. */
public final class GenotypeCalculationArgumentCollection {
    public int samplePloidy;
}
