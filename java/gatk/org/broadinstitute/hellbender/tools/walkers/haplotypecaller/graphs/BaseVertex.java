package org.broadinstitute.hellbender.tools.walkers.haplotypecaller.graphs;

/** Part of GATK's class. */
public class BaseVertex {}
