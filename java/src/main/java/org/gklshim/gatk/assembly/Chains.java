package org.gklshim.gatk.assembly;

import java.util.Arrays;

/**
 * The chains of a graph that can be reached from a vertex without incoming edges: its longest paths
 * whose inner vertices have one incoming and one outgoing edge. They are in GATK's order.
 */
final class Chains {
    private final KmerGraph graph;
    /** The edges of all chains, one chain after another. */
    int[] edges;
    int[] ends = new int[64];
    int count;

    Chains(KmerGraph graph) {
        this.graph = graph;
        edges = new int[graph.edges];
        int[] queue = new int[graph.vertices];
        boolean[] isSeen = new boolean[graph.vertices];
        int size = 0;
        for (int vertex = 0; vertex < graph.vertices; vertex++) {
            if (graph.inDegrees[vertex] == 0) {
                isSeen[vertex] = true;
                queue[size++] = vertex;
            }
        }
        for (int k = 0; k < size; k++) {
            for (int edge = graph.firstOut[queue[k]]; edge != KmerGraph.NONE;
                    edge = graph.nextOut[edge]) {
                int end = follow(edge);
                if (!isSeen[end]) {
                    isSeen[end] = true;
                    queue[size++] = end;
                }
            }
        }
    }

    int start(int chain) {
        return chain == 0 ? 0 : ends[chain - 1];
    }

    int firstVertex(int chain) {
        return graph.sources[edges[start(chain)]];
    }

    int lastVertex(int chain) {
        return graph.targets[edges[ends[chain] - 1]];
    }

    /** Removes the edges of a chain from the graph. */
    void remove(int chain) {
        for (int k = start(chain); k < ends[chain]; k++) {
            graph.removeEdge(edges[k]);
        }
    }

    /**
     * Removes chains that no sample has often enough, as GATK's LowWeightChainPruner does: those of
     * which all edges have less than a multiplicity, except the reference's.
     */
    void removeRare(int factor) {
        for (int chain = 0; chain < count; chain++) {
            if (isRare(chain, factor)) {
                remove(chain);
            }
        }
    }

    private boolean isRare(int chain, int factor) {
        for (int k = start(chain); k < ends[chain]; k++) {
            if (graph.sampleMultiplicities[edges[k]] >= factor || graph.isReferenceEdge(edges[k])) {
                return false;
            }
        }
        return true;
    }

    /** Adds the chain that starts with an edge. Returns its last vertex. */
    private int follow(int first) {
        if (count == ends.length) {
            ends = Arrays.copyOf(ends, 2 * count);
        }
        int size = start(count);
        int edge = first;
        while (true) {
            edges[size++] = edge;
            int vertex = graph.targets[edge];
            if (graph.outDegrees[vertex] != 1 || graph.inDegrees[vertex] > 1
                    || vertex == graph.sources[first]) {
                ends[count++] = size;
                return vertex;
            }
            edge = graph.firstOut[vertex];
        }
    }
}
