package org.gklshim.gatk.assembly;

import java.util.Arrays;

/**
 * Makes a graph of sequences of a graph of k-mers, with one vertex for each chain. GATK makes a
 * vertex for each k-mer first, and then zips the chains.
 *
 * <p>The graph has no cycle, and all its vertices are on paths over the reference. GATK keeps the
 * vertices that are no chain, and adds one for each chain, in the order of the chains' first
 * vertices. With the vertex, it adds the edges that leave the chain, and then those that enter it:
 * an edge is copied once for each chain that it touches, and goes to the end of the list of edges.
 */
final class ChainGraph {
    private final KmerGraph graph;
    private final byte[] text;
    private final int kmerSize;
    private final SequenceGraph result = new SequenceGraph();
    /** Of the first and last vertex of each chain. */
    private final SequenceGraph.Vertex[] vertices;
    /** When each edge was added, or last copied. */
    private final int[] times;
    private int clock;

    private ChainGraph(KmerGraph graph, byte[] text, int kmerSize) {
        this.graph = graph;
        this.text = text;
        this.kmerSize = kmerSize;
        vertices = new SequenceGraph.Vertex[graph.vertices];
        times = new int[graph.edges];
        clock = graph.edges;
    }

    static SequenceGraph of(KmerGraph graph, byte[] text, int kmerSize) {
        ChainGraph chains = new ChainGraph(graph, text, kmerSize);
        chains.addVertices();
        chains.addEdges();
        return chains.result;
    }

    private void addVertices() {
        for (int edge = 0; edge < graph.edges; edge++) {
            times[edge] = edge;
        }
        int[] starts = new int[graph.vertices];
        int count = 0;
        for (int vertex = 0; vertex < graph.vertices; vertex++) {
            if (graph.hasVertex(vertex) && isStart(vertex)) {
                if (isEnd(vertex)) {
                    addVertex(vertex, vertex);
                } else {
                    starts[count++] = vertex;
                }
            }
        }
        for (int k = 0; k < count; k++) {
            int last = starts[k];
            while (!isEnd(last)) {
                last = graph.targets[graph.firstOut[last]];
            }
            addVertex(starts[k], last);
            copyEdges(graph.firstOut[last], graph.nextOut, graph.outDegrees[last]);
            copyEdges(graph.firstIn[starts[k]], graph.nextIn, graph.inDegrees[starts[k]]);
        }
    }

    /** Returns whether a vertex is the first of a chain, which may have one vertex only. */
    private boolean isStart(int vertex) {
        return graph.inDegrees[vertex] != 1
                || graph.outDegrees[graph.sources[graph.firstIn[vertex]]] > 1;
    }

    private boolean isEnd(int vertex) {
        return graph.outDegrees[vertex] != 1
                || graph.inDegrees[graph.targets[graph.firstOut[vertex]]] != 1;
    }

    /** Adds a vertex for a chain. Its first k-mer counts in full if it starts the graph. */
    private void addVertex(int first, int last) {
        byte[] bases = new byte[kmerSize];
        int length = 0;
        int vertex = first;
        if (graph.inDegrees[first] == 0) {
            System.arraycopy(text, graph.positions[first], bases, 0, kmerSize - 1);
            length = kmerSize - 1;
        }
        while (true) {
            if (length == bases.length) {
                bases = Arrays.copyOf(bases, 2 * length);
            }
            bases[length++] = text[graph.positions[vertex] + kmerSize - 1];
            if (vertex == last) {
                break;
            }
            vertex = graph.targets[graph.firstOut[vertex]];
        }
        vertices[first] = result.add(Arrays.copyOf(bases, length));
        vertices[last] = vertices[first];
    }

    /** Copies the edges of a list, in the order in which they were added. */
    private void copyEdges(int first, int[] nextEdges, int count) {
        int[] sorted = new int[count];
        int size = 0;
        for (int edge = first; edge != KmerGraph.NONE; edge = nextEdges[edge]) {
            int k = size++;
            for (; k > 0 && times[sorted[k - 1]] > times[edge]; k--) {
                sorted[k] = sorted[k - 1];
            }
            sorted[k] = edge;
        }
        for (int edge : sorted) {
            times[edge] = clock++;
        }
    }

    private void addEdges() {
        long[] order = new long[graph.edges];
        int count = 0;
        for (int edge = 0; edge < graph.edges; edge++) {
            if (graph.hasEdge(edge) && isEnd(graph.sources[edge])) {
                order[count++] = (long) times[edge] << 32 | edge;
            }
        }
        Arrays.sort(order, 0, count);
        for (int k = 0; k < count; k++) {
            int edge = (int) order[k];
            result.connect(vertices[graph.sources[edge]], vertices[graph.targets[edge]],
                    graph.multiplicities[edge], graph.isReferenceEdge(edge));
        }
    }
}
