package org.gklshim.gatk.assembly;

import java.util.Arrays;

/**
 * A directed graph whose vertices are k-mers, in arrays. Vertices and edges are numbered in the
 * order in which they are added, which is the order in which GATK's graph lists them. So are the
 * edges of a vertex. A vertex keeps its number if others are removed.
 *
 * <p>The reference is threaded first, and repeated k-mers get a vertex for each occurrence. So the
 * reference is the path over the first vertices and edges, and these are never removed.
 */
final class KmerGraph {
    static final int NONE = -1;

    int vertices;
    int edges;
    /** How many vertices the reference has. */
    int referenceVertices;

    /** Of a vertex: where its k-mer is in the text. */
    int[] positions = new int[1024];
    private boolean[] isRemoved = new boolean[1024];
    int[] inDegrees = new int[1024];
    int[] outDegrees = new int[1024];
    /** The first and last edge of a vertex, and the next one of an edge: lists of edges. */
    int[] firstIn = new int[1024];
    int[] firstOut = new int[1024];
    private int[] lastIn = new int[1024];
    private int[] lastOut = new int[1024];

    int[] sources = new int[1024];
    int[] targets = new int[1024];
    int[] nextIn = new int[1024];
    int[] nextOut = new int[1024];
    int[] multiplicities = new int[1024];
    /** The largest multiplicity of an edge in a sample. */
    int[] sampleMultiplicities = new int[1024];
    /** The multiplicity without the current sample. */
    private int[] earlierMultiplicities = new int[1024];

    int addVertex(int position) {
        int vertex = vertices++;
        if (vertex == positions.length) {
            growVertices(2 * vertex);
        }
        positions[vertex] = position;
        firstIn[vertex] = NONE;
        firstOut[vertex] = NONE;
        return vertex;
    }

    /** Adds an edge, of which there is none yet between its vertices. */
    int addEdge(int source, int target, int multiplicity) {
        int edge = edges++;
        if (edge == sources.length) {
            growEdges(2 * edge);
        }
        sources[edge] = source;
        targets[edge] = target;
        multiplicities[edge] = multiplicity;
        sampleMultiplicities[edge] = 1;
        append(edge, source, firstOut, lastOut, nextOut);
        outDegrees[source]++;
        append(edge, target, firstIn, lastIn, nextIn);
        inDegrees[target]++;
        return edge;
    }

    /** Appends an edge to the list of a vertex. */
    private static void append(int edge, int vertex, int[] first, int[] last, int[] next) {
        next[edge] = NONE;
        if (first[vertex] == NONE) {
            first[vertex] = edge;
        } else {
            next[last[vertex]] = edge;
        }
        last[vertex] = edge;
    }

    boolean hasEdge(int source, int target) {
        for (int edge = firstOut[source]; edge != NONE; edge = nextOut[edge]) {
            if (targets[edge] == target) {
                return true;
            }
        }
        return false;
    }

    /** Ends a sample: later multiplicity is another sample's. */
    void endSample() {
        for (int edge = 0; edge < edges; edge++) {
            sampleMultiplicities[edge] = Math.max(sampleMultiplicities[edge],
                    multiplicities[edge] - earlierMultiplicities[edge]);
            earlierMultiplicities[edge] = multiplicities[edge];
        }
    }

    boolean isReferenceVertex(int vertex) {
        return vertex < referenceVertices;
    }

    boolean isReferenceEdge(int edge) {
        return edge < referenceVertices - 1;
    }

    boolean hasReferenceEdgeTo(int vertex) {
        return vertex > 0 && isReferenceVertex(vertex);
    }

    /** Returns the edge to a vertex that has the largest multiplicity, the first one of several. */
    int heaviestIn(int vertex) {
        return heaviest(firstIn[vertex], nextIn);
    }

    /** Returns the edge from a vertex that has the largest multiplicity, the first one of several. */
    int heaviestOut(int vertex) {
        return heaviest(firstOut[vertex], nextOut);
    }

    private int heaviest(int first, int[] next) {
        int heaviest = first;
        for (int edge = next[first]; edge != NONE; edge = next[edge]) {
            if (multiplicities[edge] > multiplicities[heaviest]) {
                heaviest = edge;
            }
        }
        return heaviest;
    }

    boolean hasEdge(int edge) {
        return sources[edge] != NONE;
    }

    boolean hasVertex(int vertex) {
        return !isRemoved[vertex];
    }

    void removeEdge(int edge) {
        int source = sources[edge];
        if (source == NONE) {
            return;
        }
        int target = targets[edge];
        unlink(edge, source, firstOut, lastOut, nextOut);
        outDegrees[source]--;
        unlink(edge, target, firstIn, lastIn, nextIn);
        inDegrees[target]--;
        sources[edge] = NONE;
    }

    /** Removes an edge from the list of a vertex. */
    private static void unlink(int edge, int vertex, int[] first, int[] last, int[] next) {
        int before = NONE;
        for (int k = first[vertex]; k != edge; k = next[k]) {
            before = k;
        }
        if (before == NONE) {
            first[vertex] = next[edge];
        } else {
            next[before] = next[edge];
        }
        if (last[vertex] == edge) {
            last[vertex] = before;
        }
    }

    /** Removes a vertex and its edges. */
    void removeVertex(int vertex) {
        while (firstOut[vertex] != NONE) {
            removeEdge(firstOut[vertex]);
        }
        while (firstIn[vertex] != NONE) {
            removeEdge(firstIn[vertex]);
        }
        isRemoved[vertex] = true;
    }

    /** Removes every vertex that is on no path from the reference's start to its end. */
    void removeAllButPaths() {
        boolean[] fromStart = reachable(0, firstOut, nextOut, targets);
        boolean[] toEnd = reachable(referenceVertices - 1, firstIn, nextIn, sources);
        for (int vertex = 0; vertex < vertices; vertex++) {
            if (!isRemoved[vertex] && !(fromStart[vertex] && toEnd[vertex])) {
                removeVertex(vertex);
            }
        }
    }

    /** Returns which vertices are on paths from a vertex over the edges of these lists. */
    private boolean[] reachable(int start, int[] first, int[] next, int[] ends) {
        boolean[] isReached = new boolean[vertices];
        int[] stack = new int[vertices];
        int size = 0;
        isReached[start] = true;
        stack[size++] = start;
        while (size > 0) {
            int vertex = stack[--size];
            for (int edge = first[vertex]; edge != NONE; edge = next[edge]) {
                if (!isReached[ends[edge]]) {
                    isReached[ends[edge]] = true;
                    stack[size++] = ends[edge];
                }
            }
        }
        return isReached;
    }

    boolean hasCycle() {
        int[] waiting = Arrays.copyOf(inDegrees, vertices);
        int[] stack = new int[vertices];
        int size = 0;
        int left = 0;
        for (int vertex = 0; vertex < vertices; vertex++) {
            if (!isRemoved[vertex]) {
                left++;
                if (waiting[vertex] == 0) {
                    stack[size++] = vertex;
                }
            }
        }
        while (size > 0) {
            int vertex = stack[--size];
            left--;
            for (int edge = firstOut[vertex]; edge != NONE; edge = nextOut[edge]) {
                if (--waiting[targets[edge]] == 0) {
                    stack[size++] = targets[edge];
                }
            }
        }
        return left > 0;
    }

    private void growVertices(int size) {
        positions = Arrays.copyOf(positions, size);
        isRemoved = Arrays.copyOf(isRemoved, size);
        inDegrees = Arrays.copyOf(inDegrees, size);
        outDegrees = Arrays.copyOf(outDegrees, size);
        firstIn = Arrays.copyOf(firstIn, size);
        firstOut = Arrays.copyOf(firstOut, size);
        lastIn = Arrays.copyOf(lastIn, size);
        lastOut = Arrays.copyOf(lastOut, size);
    }

    private void growEdges(int size) {
        sources = Arrays.copyOf(sources, size);
        targets = Arrays.copyOf(targets, size);
        nextIn = Arrays.copyOf(nextIn, size);
        nextOut = Arrays.copyOf(nextOut, size);
        multiplicities = Arrays.copyOf(multiplicities, size);
        sampleMultiplicities = Arrays.copyOf(sampleMultiplicities, size);
        earlierMultiplicities = Arrays.copyOf(earlierMultiplicities, size);
    }
}
