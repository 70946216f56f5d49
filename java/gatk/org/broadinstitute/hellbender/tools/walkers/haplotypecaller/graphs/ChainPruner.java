package org.broadinstitute.hellbender.tools.walkers.haplotypecaller.graphs;

/** Part of GATK's class. */
public abstract class ChainPruner<V extends BaseVertex, E extends BaseEdge> {}
