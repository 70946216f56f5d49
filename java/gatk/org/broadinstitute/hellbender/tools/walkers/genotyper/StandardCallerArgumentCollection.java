package org.broadinstitute.hellbender.tools.walkers.genotyper;

/** Part of GATK's class. */
public class StandardCallerArgumentCollection {
    public GenotypeCalculationArgumentCollection genotypeArgs;
}
