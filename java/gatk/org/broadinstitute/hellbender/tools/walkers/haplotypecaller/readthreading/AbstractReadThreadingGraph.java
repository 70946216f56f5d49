package org.broadinstitute.hellbender.tools.walkers.haplotypecaller.readthreading;

/** GATK's class, for its name. */
public abstract class AbstractReadThreadingGraph {}
