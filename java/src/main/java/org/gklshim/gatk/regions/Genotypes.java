package org.gklshim.gatk.regions;

import org.broadinstitute.hellbender.tools.walkers.genotyper.GenotypeAlleleCounts;
import org.broadinstitute.hellbender.tools.walkers.genotyper.GenotypesCache;

/** GATK's table of genotypes, for several threads: it grows when it is asked for a new one. */
public final class Genotypes {
    private Genotypes() {}

    /** Takes the place of the method of {@link GenotypesCache}. */
    public static synchronized GenotypeAlleleCounts get(int ploidy, int genotype) {
        return GenotypesCache.get$original(ploidy, genotype);
    }
}
