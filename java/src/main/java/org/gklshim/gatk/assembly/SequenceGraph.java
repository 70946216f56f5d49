package org.gklshim.gatk.assembly;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.graphs.BaseEdge;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.graphs.SeqGraph;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.graphs.SeqVertex;

/**
 * A directed graph whose vertices are sequences, without hash tables. Vertices and edges, and the
 * edges of a vertex, are listed in the order in which they were added, as in GATK's SeqGraph. There
 * is one edge at most between two vertices.
 */
final class SequenceGraph {
    /** A vertex. */
    static final class Vertex {
        final byte[] bases;
        final List<Edge> in = new ArrayList<>(2);
        final List<Edge> out = new ArrayList<>(2);
        /** The last pass in which common suffixes before this vertex were looked for. */
        int pass;
        private int index;

        Vertex(byte[] bases) {
            this.bases = bases;
        }

        /** Returns the vertex after one that has one outgoing edge. */
        Vertex next() {
            return out.get(0).target;
        }
    }

    /** An edge. */
    static final class Edge {
        final int number;
        final Vertex source;
        final Vertex target;
        final int multiplicity;
        final boolean isReference;

        Edge(int number, Vertex source, Vertex target, int multiplicity, boolean isReference) {
            this.number = number;
            this.source = source;
            this.target = target;
            this.multiplicity = multiplicity;
            this.isReference = isReference;
        }
    }

    final List<Vertex> vertices = new ArrayList<>();
    /** How many edges were added so far. */
    private int edges;

    Vertex add(byte[] bases) {
        Vertex vertex = new Vertex(bases);
        vertices.add(vertex);
        return vertex;
    }

    /** Adds an edge, unless there is one. */
    void connect(Vertex source, Vertex target, int multiplicity, boolean isReference) {
        for (Edge edge : source.out) {
            if (edge.target == target) {
                return;
            }
        }
        Edge edge = new Edge(edges++, source, target, multiplicity, isReference);
        source.out.add(edge);
        target.in.add(edge);
    }

    /** Adds a copy of an edge between other vertices, unless there is one. */
    void connect(Vertex source, Vertex target, Edge copied) {
        connect(source, target, copied.multiplicity, copied.isReference);
    }

    /** Removes a vertex and its edges. */
    void remove(Vertex vertex) {
        for (Edge edge : vertex.in) {
            edge.source.out.remove(edge);
        }
        for (Edge edge : vertex.out) {
            edge.target.in.remove(edge);
        }
        vertices.remove(vertex);
    }

    boolean isReferenceVertex(Vertex vertex) {
        return hasReference(vertex.in) || hasReference(vertex.out) || vertices.size() == 1;
    }

    boolean isReferenceStart(Vertex vertex) {
        return !hasReference(vertex.in) && hasReference(vertex.out) || vertices.size() == 1;
    }

    /** Returns whether GATK finds the ends of the reference where the graph starts and ends. */
    boolean hasReferenceEnds() {
        for (Vertex vertex : vertices) {
            if (vertex.in.isEmpty() != isReferenceStart(vertex)
                    || vertex.out.isEmpty() != isReferenceEnd(vertex)) {
                return false;
            }
        }
        return true;
    }

    private boolean isReferenceEnd(Vertex vertex) {
        return !hasReference(vertex.out) && hasReference(vertex.in) || vertices.size() == 1;
    }

    private static boolean hasReference(List<Edge> edges) {
        for (Edge edge : edges) {
            if (edge.isReference) {
                return true;
            }
        }
        return false;
    }

    SeqGraph toSeqGraph(int kmerSize) {
        SeqGraph graph = new SeqGraph(kmerSize);
        SeqVertex[] copies = new SeqVertex[vertices.size()];
        Edge[] all = new Edge[edges];
        int count = 0;
        for (int k = 0; k < copies.length; k++) {
            Vertex vertex = vertices.get(k);
            vertex.index = k;
            copies[k] = new SeqVertex(vertex.bases);
            graph.addVertex(copies[k]);
            for (Edge edge : vertex.out) {
                all[count++] = edge;
            }
        }
        Arrays.sort(all, 0, count, Comparator.comparingInt((Edge edge) -> edge.number));
        for (int k = 0; k < count; k++) {
            Edge edge = all[k];
            graph.addEdge(copies[edge.source.index], copies[edge.target.index],
                    new BaseEdge(edge.isReference, edge.multiplicity));
        }
        return graph;
    }
}
