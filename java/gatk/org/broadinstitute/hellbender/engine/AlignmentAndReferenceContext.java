package org.broadinstitute.hellbender.engine;

/** Stands for GATK's class. */
public final class AlignmentAndReferenceContext {}
