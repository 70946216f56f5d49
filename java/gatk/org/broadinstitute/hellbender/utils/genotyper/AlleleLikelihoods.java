package org.broadinstitute.hellbender.utils.genotyper;

/** Part of GATK's interface. */
public class AlleleLikelihoods<E, A> {}
