package org.broadinstitute.hellbender.tools.walkers.haplotypecaller.graphs;

/** Part of GATK's class. */
public class BaseEdge {
    public BaseEdge(boolean isRef, int multiplicity) {}
}
