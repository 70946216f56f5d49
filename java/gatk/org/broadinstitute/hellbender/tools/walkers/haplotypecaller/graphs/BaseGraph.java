package org.broadinstitute.hellbender.tools.walkers.haplotypecaller.graphs;

import org.jgrapht.graph.AbstractBaseGraph;

/** Part of GATK's class. */
public abstract class BaseGraph<V extends BaseVertex, E extends BaseEdge>
        extends AbstractBaseGraph<V, E> {
    public native V getReferenceSourceVertex();

    public native V getReferenceSinkVertex();

    public final native void removePathsNotConnectedToRef();
}
