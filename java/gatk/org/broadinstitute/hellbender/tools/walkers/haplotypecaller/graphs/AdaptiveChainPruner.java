package org.broadinstitute.hellbender.tools.walkers.haplotypecaller.graphs;

/** Part of GATK's class. The agent makes these fields public. */
public final class AdaptiveChainPruner<V extends BaseVertex, E extends BaseEdge>
        extends ChainPruner<V, E> {
    public double initialErrorProbability;
    public double logOddsThreshold;
    public double seedingLogOddsThreshold;
    public int maxUnprunedVariants;
}
