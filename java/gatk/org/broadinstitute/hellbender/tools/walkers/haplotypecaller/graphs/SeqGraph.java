package org.broadinstitute.hellbender.tools.walkers.haplotypecaller.graphs;

/** Part of GATK's class. */
public class SeqGraph extends BaseGraph<SeqVertex, BaseEdge> {
    public SeqGraph(int kmerSize) {}

    public native void simplifyGraph();
}
