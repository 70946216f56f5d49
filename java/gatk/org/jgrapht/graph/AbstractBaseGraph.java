package org.jgrapht.graph;

import java.util.Set;

/** Part of JGraphT's class. */
public abstract class AbstractBaseGraph<V, E> {
    public native boolean addVertex(V vertex);

    public native boolean addEdge(V source, V target, E edge);

    public native Set<V> vertexSet();
}
