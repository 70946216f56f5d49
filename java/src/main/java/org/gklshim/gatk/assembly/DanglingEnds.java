package org.gklshim.gatk.assembly;

import htsjdk.samtools.Cigar;
import htsjdk.samtools.CigarElement;
import htsjdk.samtools.CigarOperator;
import java.util.Arrays;
import java.util.List;
import org.broadinstitute.gatk.nativebindings.smithwaterman.SWOverhangStrategy;
import org.broadinstitute.gatk.nativebindings.smithwaterman.SWParameters;
import org.broadinstitute.hellbender.utils.read.AlignmentUtils;
import org.broadinstitute.hellbender.utils.smithwaterman.SmithWatermanAligner;

/**
 * Joins branches to the reference if they end before it, as GATK's AbstractReadThreadingGraph does.
 * A branch is aligned to the reference, and an edge is added where the two become equal.
 *
 * <p>A tail's path starts at the fork where it leaves the rest of the graph, a head's at the vertex
 * of the reference that it leads to.
 */
final class DanglingEnds {
    private static final int MAX_ELEMENTS = 3;

    private final KmerGraph graph;
    private final Sequences sequences;
    private final int kmerSize;
    private final int pruneFactor;
    private final int minLength;
    private final boolean passForks;
    private final SmithWatermanAligner aligner;
    private final SWParameters parameters;

    /**
     * Takes GATK's settings.
     *
     * @param pruneFactor a branch does not go on beyond an edge with less than this multiplicity
     * @param minLength the least number of edges of a branch
     * @param passForks whether a branch goes on at forks, along the heaviest edge, until it comes
     *     to the reference
     */
    DanglingEnds(KmerGraph graph, Sequences sequences, int kmerSize, int pruneFactor, int minLength,
            boolean passForks, SmithWatermanAligner aligner, SWParameters parameters) {
        this.graph = graph;
        this.sequences = sequences;
        this.kmerSize = kmerSize;
        this.pruneFactor = pruneFactor;
        this.minLength = minLength;
        this.passForks = passForks;
        this.aligner = aligner;
        this.parameters = parameters;
    }

    /** Joins branches that have no vertex after their last one. */
    void joinTails() {
        for (int vertex = 0; vertex < graph.vertices; vertex++) {
            if (graph.hasVertex(vertex) && graph.outDegrees[vertex] == 0
                    && vertex != graph.referenceVertices - 1) {
                joinTail(vertex);
            }
        }
    }

    /** Joins branches that have no vertex before their first one. */
    void joinHeads() {
        int[] heads = new int[graph.vertices];
        int count = 0;
        for (int vertex = 1; vertex < graph.vertices; vertex++) {
            if (graph.hasVertex(vertex) && graph.inDegrees[vertex] == 0) {
                heads[count++] = vertex;
            }
        }
        for (int k = 0; k < count; k++) {
            joinHead(heads[k]);
        }
    }

    private void joinTail(int tail) {
        int[] branch = tailBranch(tail);
        if (branch == null || branch[0] == 0 || branch.length < Math.max(1, minLength) + 1) {
            return;
        }
        int[] reference = pathToEnd(branch[0], graph.heaviestIn(branch[1]));
        byte[] referenceBases = lastBases(reference);
        byte[] branchBases = lastBases(branch);
        Cigar cigar = align(referenceBases, branchBases);
        List<CigarElement> elements = cigar.getCigarElements();
        if (elements.isEmpty() || elements.size() > MAX_ELEMENTS) {
            return;
        }
        CigarElement last = elements.get(elements.size() - 1);
        if (last.getOperator() != CigarOperator.M) {
            return;
        }
        int end = cigar.getReferenceLength();
        int equal = Math.min(
                equalAtEnd(referenceBases, end, branchBases), last.getLength());
        if (equal == 0) {
            return;
        }
        // If the branch is the reference without its first bases, the edge must skip these.
        CigarElement first = elements.get(0);
        boolean isDeletion = first.getOperator() == CigarOperator.D
                && first.getLength() + equal == end;
        int joint = end - equal + (isDeletion ? 1 : 0);
        // An edge to the branch's first vertex would be a cycle.
        if (joint > 0) {
            addEdge(branch[Math.max(cigar.getReadLength() - equal - 1, 0)], reference[joint]);
        }
    }

    private void joinHead(int head) {
        int[] branch = headBranch(head);
        if (branch == null || branch[0] == graph.referenceVertices - 1
                || branch.length < minLength + 1) {
            return;
        }
        int[] reference = pathToStart(branch[0]);
        byte[] referenceBases = lastBasesFromSource(reference);
        byte[] branchBases = lastBasesFromSource(branch);
        Cigar cigar = align(referenceBases, branchBases);
        List<CigarElement> elements = cigar.getCigarElements();
        if (elements.isEmpty() || elements.size() > MAX_ELEMENTS
                || elements.get(0).getOperator() != CigarOperator.M) {
            return;
        }
        int joint = lastMismatch(referenceBases, branchBases, elements.get(0).getLength());
        if (joint <= 0 || joint >= reference.length - 1) {
            return;
        }
        if (joint >= branch.length) {
            int offset = cigar.getReferenceLength() - cigar.getReadLength();
            branch = extend(branch, reference, offset, joint - branch.length + 2);
            if (branch == null) {
                return;
            }
        }
        addEdge(reference[joint + 1], branch[joint]);
    }

    private Cigar align(byte[] reference, byte[] branch) {
        return AlignmentUtils.removeTrailingDeletions(aligner.align(reference, branch, parameters,
                SWOverhangStrategy.LEADING_INDEL).getCigar());
    }

    private void addEdge(int source, int target) {
        if (!graph.hasEdge(source, target)) {
            graph.addEdge(source, target, 1);
        }
    }

    /** Returns the path from a fork to a tail, or null if there is none. */
    private int[] tailBranch(int tail) {
        Branch branch = new Branch(graph.vertices);
        int vertex = tail;
        while (!stopsTail(vertex)) {
            int edge = graph.heaviestIn(vertex);
            vertex = branch.pass(vertex, edge, graph.sources[edge]);
            if (vertex == KmerGraph.NONE) {
                return null;
            }
        }
        boolean isFound = graph.outDegrees[vertex] > 1
                && (!passForks || graph.hasReferenceEdgeTo(vertex));
        return isFound ? branch.from(vertex) : null;
    }

    /** Returns whether the way back from a tail ends at a vertex. */
    private boolean stopsTail(int vertex) {
        if (passForks) {
            return graph.hasReferenceEdgeTo(vertex) || graph.inDegrees[vertex] == 0;
        }
        return graph.inDegrees[vertex] != 1 || graph.outDegrees[vertex] > 1;
    }

    /** Returns the path from the reference back to a head, or null if there is none. */
    private int[] headBranch(int head) {
        Branch branch = new Branch(graph.vertices);
        int vertex = head;
        while (!stopsHead(vertex)) {
            int edge = graph.heaviestOut(vertex);
            vertex = branch.pass(vertex, edge, graph.targets[edge]);
            if (vertex == KmerGraph.NONE) {
                return null;
            }
        }
        return graph.isReferenceVertex(vertex) ? branch.from(vertex) : null;
    }

    /** Returns whether the way from a head ends at a vertex. */
    private boolean stopsHead(int vertex) {
        int edges = graph.outDegrees[vertex];
        return graph.isReferenceVertex(vertex) || (passForks ? edges == 0 : edges != 1);
    }

    /** A branch that is followed from its open end. */
    private final class Branch {
        private final boolean[] isPassed;
        private int[] path = new int[64];
        private int length;

        Branch(int vertices) {
            isPassed = new boolean[vertices];
        }

        /**
         * Adds a vertex. The branch starts again if the edge to the next one is rare. Returns the
         * next vertex, or NONE if the branch has it already, which GATK says on standard error.
         */
        int pass(int vertex, int edge, int next) {
            if (graph.sampleMultiplicities[edge] < pruneFactor) {
                length = 0;
            } else {
                isPassed[vertex] = true;
                push(vertex);
            }
            if (isPassed[next]) {
                System.err.println("Dangling End recovery killed because of a loop (findPath)");
                return KmerGraph.NONE;
            }
            return next;
        }

        /** Returns the path to the open end from a vertex. */
        int[] from(int vertex) {
            push(vertex);
            int[] reversed = new int[length];
            for (int k = 0; k < length; k++) {
                reversed[k] = path[length - 1 - k];
            }
            return reversed;
        }

        private void push(int vertex) {
            if (length == path.length) {
                path = Arrays.copyOf(path, 2 * length);
            }
            path[length++] = vertex;
        }
    }

    /**
     * Returns the reference from a vertex on. Before it, the path follows vertices with one edge.
     *
     * @param excluded an edge that it does not follow
     */
    private int[] pathToEnd(int start, int excluded) {
        int[] path = new int[graph.referenceVertices];
        int length = 0;
        int vertex = start;
        while (vertex != KmerGraph.NONE) {
            if (length == path.length) {
                path = Arrays.copyOf(path, 2 * length);
            }
            path[length++] = vertex;
            vertex = next(vertex, excluded);
        }
        return Arrays.copyOf(path, length);
    }

    private int next(int vertex, int excluded) {
        if (vertex < graph.referenceVertices - 1) {
            return vertex + 1;
        }
        int found = KmerGraph.NONE;
        for (int edge = graph.firstOut[vertex]; edge != KmerGraph.NONE;
                edge = graph.nextOut[edge]) {
            if (edge != excluded) {
                if (found != KmerGraph.NONE) {
                    return KmerGraph.NONE;
                }
                found = graph.targets[edge];
            }
        }
        return found;
    }

    /** Returns the vertices of the reference from one back to its start. */
    private int[] pathToStart(int start) {
        int[] path = new int[graph.referenceVertices];
        int length = 0;
        int vertex = start;
        while (vertex != KmerGraph.NONE) {
            path[length++] = vertex;
            int edge = graph.firstIn[vertex];
            while (edge != KmerGraph.NONE && !graph.isReferenceVertex(graph.sources[edge])) {
                edge = graph.nextIn[edge];
            }
            vertex = edge == KmerGraph.NONE ? KmerGraph.NONE : graph.sources[edge];
        }
        return Arrays.copyOf(path, length);
    }

    private byte lastBase(int vertex) {
        return sequences.text[graph.positions[vertex] + kmerSize - 1];
    }

    private byte[] lastBases(int[] path) {
        byte[] bases = new byte[path.length];
        for (int k = 0; k < path.length; k++) {
            bases[k] = lastBase(path[k]);
        }
        return bases;
    }

    /** Returns the last bases of k-mers, but all bases, backwards, of one without an edge to it. */
    private byte[] lastBasesFromSource(int[] path) {
        byte[] bases = new byte[path.length * kmerSize];
        int length = 0;
        for (int vertex : path) {
            int last = graph.positions[vertex] + kmerSize - 1;
            int count = graph.inDegrees[vertex] == 0 ? kmerSize : 1;
            for (int k = 0; k < count; k++) {
                bases[length++] = sequences.text[last - k];
            }
        }
        return Arrays.copyOf(bases, length);
    }

    /** Returns how many bases before an end of one are equal to the last ones of another. */
    private static int equalAtEnd(byte[] one, int end, byte[] other) {
        int count = 0;
        while (count < other.length && count < end
                && one[end - 1 - count] == other[other.length - 1 - count]) {
            count++;
        }
        return count;
    }

    /** Returns where the last mismatch is, or -1 if there is none, or if there are too many. */
    private int lastMismatch(byte[] reference, byte[] branch, int length) {
        int mismatches = 0;
        int last = -1;
        for (int k = 0; k < length; k++) {
            if (reference[k] != branch[k]) {
                mismatches++;
                last = k;
            }
        }
        return mismatches > Math.max(1, length / kmerSize) ? -1 : last;
    }

    /**
     * Replaces the head of a branch by vertices whose k-mers start with the reference's bases.
     *
     * @param offset the reference's length minus the branch's in their alignment
     * @return the new branch, or null if the reference is too short
     */
    private int[] extend(int[] branch, int[] reference, int offset, int count) {
        int head = branch.length - 1;
        int donor = head + offset + count;
        if (donor >= reference.length) {
            return null;
        }
        int oldHead = branch[head];
        byte[] bases = new byte[count + kmerSize];
        System.arraycopy(sequences.text, graph.positions[reference[donor]], bases, 0, count);
        System.arraycopy(sequences.text, graph.positions[oldHead], bases, count, kmerSize);
        int position = sequences.append(bases, bases.length);
        int edge = graph.heaviestOut(oldHead);
        int next = graph.targets[edge];
        graph.removeEdge(edge);
        int[] extended = Arrays.copyOf(branch, head + count);
        for (int k = count; k > 0; k--) {
            int vertex = graph.addVertex(position + k);
            graph.addEdge(vertex, next, graph.multiplicities[edge]);
            extended[head + count - k] = vertex;
            next = vertex;
        }
        return extended;
    }
}
