package org.gklshim.gatk.assembly;

import java.util.Arrays;

/**
 * Threads sequences into a graph of k-mers, as GATK's ReadThreadingGraph does. A sequence joins the
 * graph at k-mers that occur once in each read. A k-mer that some read has twice gets a new vertex
 * wherever a sequence comes to it from a vertex without an edge to it.
 */
final class Threading {
    private final Sequences sequences;
    private final int kmerSize;
    private final KmerTable table;
    /** For each k-mer, the number of its vertex, from 1; 0 if it has none where sequences join. */
    private int[] vertexOfKmer;
    /** How many k-mers have one. */
    private int joints;
    /** The k-mer of each vertex. */
    private int[] kmers = new int[1024];

    final KmerGraph graph = new KmerGraph();

    /** Takes the sequences, to which reads may still be added until {@link #run}. */
    Threading(Sequences sequences, int kmerSize) {
        this.sequences = sequences;
        this.kmerSize = kmerSize;
        table = new KmerTable(sequences, kmerSize);
        table.add(0);
    }

    /** Returns whether the reference has a k-mer twice. Must be called before {@link #run}. */
    boolean referenceHasRepeats() {
        return table.repeats > 0;
    }

    /** Makes the graph of all sequences. */
    void run() {
        for (int read = 1; read < sequences.reads; read++) {
            table.add(read);
        }
        vertexOfKmer = new int[table.count + 1];
        threadReference(sequences.partEnds[0]);
        for (int sample = 0; sample < sequences.samples(); sample++) {
            for (int part = 1; part < sequences.parts; part++) {
                if (sequences.isOfSample(part, sample)) {
                    threadPart(sequences.partStarts[part], sequences.partEnds[part]);
                }
            }
            graph.endSample();
        }
    }

    /** Returns whether GATK takes the graph for one of low complexity. */
    boolean isLowQuality() {
        return 4 * table.repeats > joints;
    }

    /** Removes all vertices without edges. */
    void removeSingletons() {
        for (int vertex = 0; vertex < graph.vertices; vertex++) {
            if (graph.inDegrees[vertex] == 0 && graph.outDegrees[vertex] == 0) {
                graph.removeVertex(vertex);
                // GATK forgets the k-mer, even if another vertex is where sequences join.
                if (vertexOfKmer[kmers[vertex]] != 0) {
                    vertexOfKmer[kmers[vertex]] = 0;
                    joints--;
                }
            }
        }
    }

    private void threadReference(int end) {
        int vertex = addVertex(0);
        for (int k = 1; k <= end - kmerSize; k++) {
            int next = addVertex(k);
            graph.addEdge(vertex, next, 1);
            vertex = next;
        }
        graph.referenceVertices = graph.vertices;
    }

    private void threadPart(int start, int end) {
        int first = start;
        while (first < end - kmerSize && table.isRepeated(table.kmers[first])) {
            first++;
        }
        if (first >= end - kmerSize) {
            return;
        }
        int found = vertexOfKmer[table.kmers[first]];
        int vertex = found == 0 ? addVertex(first) : found - 1;
        countBackwards(vertex);
        for (int k = first + 1; k <= end - kmerSize; k++) {
            vertex = extend(vertex, k);
        }
    }

    /** Counts a sequence for the edges before its first vertex, up to a fork or its k-mer's end. */
    private void countBackwards(int start) {
        int vertex = start;
        for (int k = 1; k < kmerSize && graph.inDegrees[vertex] == 1; k++) {
            int edge = graph.firstIn[vertex];
            graph.multiplicities[edge]++;
            vertex = graph.sources[edge];
        }
    }

    /** Follows an edge to the k-mer at a position, or adds it. Returns the vertex it leads to. */
    private int extend(int vertex, int position) {
        int kmer = table.kmers[position];
        for (int edge = graph.firstOut[vertex]; edge != KmerGraph.NONE;
                edge = graph.nextOut[edge]) {
            int target = graph.targets[edge];
            if (kmers[target] == kmer) {
                graph.multiplicities[edge]++;
                return target;
            }
        }
        // No sequence joins the graph at the start of the reference in this way.
        int found = kmer == table.kmers[0] ? 0 : vertexOfKmer[kmer];
        int next = found == 0 ? addVertex(position) : found - 1;
        graph.addEdge(vertex, next, 1);
        return next;
    }

    private int addVertex(int position) {
        int kmer = table.kmers[position];
        int vertex = graph.addVertex(table.positions[kmer]);
        if (vertex == kmers.length) {
            kmers = Arrays.copyOf(kmers, 2 * vertex);
        }
        kmers[vertex] = kmer;
        if (!table.isRepeated(kmer) && vertexOfKmer[kmer] == 0) {
            vertexOfKmer[kmer] = vertex + 1;
            joints++;
        }
        return vertex;
    }
}
