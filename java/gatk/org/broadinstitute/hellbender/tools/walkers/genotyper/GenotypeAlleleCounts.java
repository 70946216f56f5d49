package org.broadinstitute.hellbender.tools.walkers.genotyper;

/** Part of GATK's class. */
public final class GenotypeAlleleCounts {}
