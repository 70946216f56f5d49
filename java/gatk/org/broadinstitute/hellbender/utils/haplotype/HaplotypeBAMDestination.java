package org.broadinstitute.hellbender.utils.haplotype;

/** Part of GATK's interface. */
public abstract class HaplotypeBAMDestination {}
