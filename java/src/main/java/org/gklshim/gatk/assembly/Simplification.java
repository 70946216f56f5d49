package org.gklshim.gatk.assembly;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.gklshim.gatk.assembly.SequenceGraph.Edge;
import org.gklshim.gatk.assembly.SequenceGraph.Vertex;

/**
 * Makes a graph of sequences smaller, without changing the sequences of its paths. It transforms
 * the same vertices in the same order as GATK's SeqGraph.simplifyGraph.
 *
 * <p>The graph has no cycle and one end, so there are no tails, which GATK would look for.
 */
final class Simplification {
    /** From its next round on, GATK looks whether the graph has changed. */
    private static final int MAX_ROUNDS = 6;

    private final SequenceGraph graph;
    private int pass;

    private Simplification(SequenceGraph graph) {
        this.graph = graph;
    }

    /** Simplifies a graph. Returns false if that takes too many rounds. */
    static boolean simplify(SequenceGraph graph) {
        Simplification simplification = new Simplification(graph);
        for (int round = 0; round < MAX_ROUNDS; round++) {
            if (!simplification.runOnce()) {
                return true;
            }
        }
        return false;
    }

    private boolean runOnce() {
        boolean isChanged = false;
        while (mergeDiamond()) {
            isChanged = true;
        }
        pass++;
        while (splitSuffix()) {
            isChanged = true;
        }
        while (mergeSuffix()) {
            isChanged = true;
        }
        return zipChains() || isChanged;
    }

    /** Looks for a diamond, from the first vertex on. Returns whether there was one. */
    private boolean mergeDiamond() {
        for (Vertex top : graph.vertices) {
            Vertex bottom = bottomOfDiamond(top);
            if (bottom != null && mergeDiamond(top, bottom)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the vertex where all edges of a vertex meet again, after one vertex each, if all of
     * its incoming edges come from there. Otherwise returns null.
     */
    private static Vertex bottomOfDiamond(Vertex top) {
        if (top.out.size() < 2) {
            return null;
        }
        Vertex bottom = null;
        for (Edge edge : top.out) {
            Vertex middle = edge.target;
            if (middle.out.size() != 1 || middle.in.size() != 1
                    || bottom != null && bottom != middle.next()) {
                return null;
            }
            bottom = middle.next();
        }
        return bottom.in.size() == top.out.size() ? bottom : null;
    }

    /** Makes vertices of what the middle vertices share. Returns false if that is nothing. */
    private boolean mergeDiamond(Vertex top, Vertex bottom) {
        List<Vertex> middles = targets(top);
        int shortest = shortest(middles);
        int prefix = commonPrefix(middles, shortest);
        int suffix = commonSuffix(middles, shortest - prefix);
        if (prefix == 0 && suffix == 0) {
            return false;
        }
        // The direct edge stands for all middle vertices that have nothing else.
        boolean hasDirect = false;
        int directMultiplicity = 0;
        boolean isDirectReference = false;
        boolean entersReference = false;
        boolean leavesReference = false;
        List<Vertex> rests = new ArrayList<>();
        for (Vertex middle : middles) {
            Edge in = middle.in.get(0);
            Edge out = middle.out.get(0);
            graph.remove(middle);
            if (middle.bases.length == prefix + suffix) {
                hasDirect = true;
                directMultiplicity += in.multiplicity + out.multiplicity;
                isDirectReference |= in.isReference || out.isReference;
                rests.add(null);
            } else {
                entersReference |= in.isReference;
                leavesReference |= out.isReference;
                rests.add(new Vertex(Arrays.copyOfRange(middle.bases, prefix,
                        middle.bases.length - suffix)));
            }
        }
        for (Vertex rest : rests) {
            if (rest != null) {
                graph.vertices.add(rest);
            }
        }
        byte[] bases = middles.get(0).bases;
        Vertex above = top;
        if (prefix > 0) {
            above = graph.add(Arrays.copyOf(bases, prefix));
            graph.connect(top, above, 1, isDirectReference || entersReference);
        }
        Vertex below = bottom;
        if (suffix > 0) {
            below = graph.add(Arrays.copyOfRange(bases, bases.length - suffix, bases.length));
            graph.connect(below, bottom, 1, isDirectReference || leavesReference);
        }
        for (int k = 0; k < rests.size(); k++) {
            if (rests.get(k) != null) {
                graph.connect(above, rests.get(k), middles.get(k).in.get(0));
            } else if (hasDirect) {
                // Only once: GATK adds to the first such edge.
                hasDirect = false;
                graph.connect(above, below, directMultiplicity, isDirectReference);
            }
        }
        for (int k = 0; k < rests.size(); k++) {
            if (rests.get(k) != null) {
                graph.connect(rests.get(k), below, middles.get(k).out.get(0));
            }
        }
        return true;
    }

    /** Looks for a vertex before which suffixes can be split. Returns whether there was one. */
    private boolean splitSuffix() {
        for (Vertex bottom : graph.vertices) {
            if (bottom.pass != pass) {
                bottom.pass = pass;
                int suffix = splittableSuffix(bottom);
                if (suffix > 0) {
                    splitSuffix(bottom, suffix);
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns how many last bases the vertices before a vertex share, or 0 if they must stay. */
    private int splittableSuffix(Vertex bottom) {
        if (bottom.in.size() < 2) {
            return 0;
        }
        for (Edge edge : bottom.in) {
            if (edge.source.out.size() != 1) {
                return 0;
            }
        }
        List<Vertex> tops = sources(bottom);
        int suffix = commonSuffix(tops, shortest(tops));
        boolean areAllTheSuffix = true;
        for (Vertex top : tops) {
            areAllTheSuffix &= top.bases.length == suffix;
        }
        for (Vertex top : tops) {
            if (graph.isReferenceStart(top)) {
                return areAllTheSuffix || top.bases.length == suffix ? 0 : suffix;
            }
        }
        return areAllTheSuffix ? 0 : suffix;
    }

    private void splitSuffix(Vertex bottom, int suffix) {
        List<Vertex> tops = sources(bottom);
        for (Vertex top : tops) {
            int prefix = top.bases.length - suffix;
            Vertex last = graph.add(Arrays.copyOfRange(top.bases, prefix, top.bases.length));
            Vertex first = last;
            Edge out = top.out.get(0);
            if (prefix > 0) {
                first = graph.add(Arrays.copyOf(top.bases, prefix));
                graph.connect(first, last, 1, out.isReference);
            }
            graph.connect(last, bottom, out);
            for (Edge in : top.in) {
                graph.connect(in.source, first, in);
            }
        }
        for (Vertex top : tops) {
            graph.remove(top);
        }
    }

    /** Looks for a vertex that equal vertices precede. Returns whether there was one. */
    private boolean mergeSuffix() {
        for (Vertex bottom : graph.vertices) {
            if (hasEqualSources(bottom)) {
                mergeSuffix(bottom);
                return true;
            }
        }
        return false;
    }

    private static boolean hasEqualSources(Vertex bottom) {
        for (Edge edge : bottom.in) {
            Vertex top = edge.source;
            if (top.out.size() != 1 || top.in.isEmpty()
                    || !Arrays.equals(top.bases, bottom.in.get(0).source.bases)) {
                return false;
            }
        }
        return !bottom.in.isEmpty();
    }

    private void mergeSuffix(Vertex bottom) {
        List<Vertex> tops = sources(bottom);
        Vertex merged = graph.add(concatenated(Arrays.asList(tops.get(0), bottom)));
        for (Vertex top : tops) {
            for (Edge in : top.in) {
                graph.connect(in.source, merged, in);
            }
        }
        for (Edge out : bottom.out) {
            graph.connect(merged, out.target, out);
        }
        for (Vertex top : tops) {
            graph.remove(top);
        }
        graph.remove(bottom);
    }

    /** Merges the vertices of each chain. Returns whether there was a chain. */
    private boolean zipChains() {
        List<Vertex> starts = new ArrayList<>();
        for (Vertex vertex : graph.vertices) {
            if (vertex.out.size() == 1
                    && (vertex.in.size() != 1 || vertex.in.get(0).source.out.size() > 1)) {
                starts.add(vertex);
            }
        }
        boolean isChanged = false;
        for (Vertex start : starts) {
            List<Vertex> chain = chain(start);
            if (chain.size() > 1) {
                zip(chain);
                isChanged = true;
            }
        }
        return isChanged;
    }

    /** Returns the vertices of a chain, all on the reference or none. */
    private List<Vertex> chain(Vertex start) {
        List<Vertex> chain = new ArrayList<>();
        boolean isReference = graph.isReferenceVertex(start);
        Vertex vertex = start;
        chain.add(vertex);
        while (vertex.out.size() == 1 && vertex.next().in.size() == 1
                && graph.isReferenceVertex(vertex.next()) == isReference) {
            vertex = vertex.next();
            chain.add(vertex);
        }
        return chain;
    }

    private void zip(List<Vertex> chain) {
        Vertex zipped = graph.add(concatenated(chain));
        for (Edge out : chain.get(chain.size() - 1).out) {
            graph.connect(zipped, out.target, out);
        }
        for (Edge in : chain.get(0).in) {
            graph.connect(in.source, zipped, in);
        }
        for (Vertex vertex : chain) {
            graph.remove(vertex);
        }
    }

    private static List<Vertex> sources(Vertex vertex) {
        List<Vertex> sources = new ArrayList<>(vertex.in.size());
        for (Edge edge : vertex.in) {
            sources.add(edge.source);
        }
        return sources;
    }

    private static List<Vertex> targets(Vertex vertex) {
        List<Vertex> targets = new ArrayList<>(vertex.out.size());
        for (Edge edge : vertex.out) {
            targets.add(edge.target);
        }
        return targets;
    }

    private static byte[] concatenated(List<Vertex> vertices) {
        int length = 0;
        for (Vertex vertex : vertices) {
            length += vertex.bases.length;
        }
        byte[] bases = new byte[length];
        int end = 0;
        for (Vertex vertex : vertices) {
            System.arraycopy(vertex.bases, 0, bases, end, vertex.bases.length);
            end += vertex.bases.length;
        }
        return bases;
    }

    private static int shortest(List<Vertex> vertices) {
        int shortest = Integer.MAX_VALUE;
        for (Vertex vertex : vertices) {
            shortest = Math.min(shortest, vertex.bases.length);
        }
        return shortest;
    }

    private static int commonPrefix(List<Vertex> vertices, int limit) {
        byte[] first = vertices.get(0).bases;
        for (int length = 0; length < limit; length++) {
            for (Vertex vertex : vertices) {
                if (vertex.bases[length] != first[length]) {
                    return length;
                }
            }
        }
        return limit;
    }

    private static int commonSuffix(List<Vertex> vertices, int limit) {
        byte[] first = vertices.get(0).bases;
        for (int length = 0; length < limit; length++) {
            byte base = first[first.length - 1 - length];
            for (Vertex vertex : vertices) {
                if (vertex.bases[vertex.bases.length - 1 - length] != base) {
                    return length;
                }
            }
        }
        return limit;
    }
}
