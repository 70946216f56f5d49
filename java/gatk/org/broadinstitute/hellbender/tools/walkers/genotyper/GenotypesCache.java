package org.broadinstitute.hellbender.tools.walkers.genotyper;

/** Part of GATK's class, with a method that the agent adds. */
public final class GenotypesCache {
    public static native GenotypeAlleleCounts get$original(int ploidy, int genotype);
}
