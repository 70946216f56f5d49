package org.broadinstitute.hellbender.tools.walkers.haplotypecaller.graphs;

/** Part of GATK's class. */
public final class SeqVertex extends BaseVertex {
    public SeqVertex(byte[] sequence) {}
}
