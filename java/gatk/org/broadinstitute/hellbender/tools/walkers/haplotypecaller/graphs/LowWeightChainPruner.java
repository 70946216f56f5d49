package org.broadinstitute.hellbender.tools.walkers.haplotypecaller.graphs;

/** Part of GATK's class. */
public final class LowWeightChainPruner<V extends BaseVertex, E extends BaseEdge>
        extends ChainPruner<V, E> {}
