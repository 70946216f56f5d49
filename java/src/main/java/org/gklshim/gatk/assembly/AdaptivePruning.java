package org.gklshim.gatk.assembly;

import java.util.Arrays;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.graphs.AdaptiveChainPruner;
import org.broadinstitute.hellbender.tools.walkers.mutect.Mutect2Engine;
import org.broadinstitute.hellbender.utils.BaseUtils;

/**
 * Removes chains that are probably sequencing errors, as GATK's AdaptiveChainPruner does.
 *
 * <p>Each end of a chain has log odds. They compare the multiplicity of the chain's edge at that
 * end with the multiplicity of all edges on the same side of the vertex. The search for good chains
 * starts at the chain with the largest multiplicity, and at vertices where three ends have very
 * high log odds. It goes on over ends with high log odds. The first search uses a given rate of
 * errors, the second one the rate that the first has found.
 *
 * <p>GATK adds chains by decreasing log odds, until there are too many variants. The order does not
 * matter as long as there are not.
 */
final class AdaptivePruning {
    /** A vertex with more very good ends than this is a start of the search. */
    private static final int MAX_ENDS_ON_A_PATH = 2;

    private final KmerGraph graph;
    private final byte[] text;
    private final int kmerSize;
    private final AdaptiveChainPruner<?, ?> settings;
    private final Chains chains;
    /** The first chain that starts or ends at a vertex, and the next one of a chain: lists. */
    private final int[] firstOut;
    private final int[] firstIn;
    private final int[] nextOut;
    private final int[] nextIn;

    // The state of a search.
    private boolean[] isGoodAtStart;
    private boolean[] isGoodAtEnd;
    private boolean[] isGood;
    private boolean[] isReached;
    private int[] waiting;
    private int waitingCount;

    private AdaptivePruning(KmerGraph graph, byte[] text, int kmerSize,
            AdaptiveChainPruner<?, ?> settings) {
        this.graph = graph;
        this.text = text;
        this.kmerSize = kmerSize;
        this.settings = settings;
        chains = new Chains(graph);
        firstOut = new int[graph.vertices];
        firstIn = new int[graph.vertices];
        nextOut = new int[chains.count];
        nextIn = new int[chains.count];
        Arrays.fill(firstOut, KmerGraph.NONE);
        Arrays.fill(firstIn, KmerGraph.NONE);
        for (int chain = 0; chain < chains.count; chain++) {
            nextOut[chain] = firstOut[chains.firstVertex(chain)];
            firstOut[chains.firstVertex(chain)] = chain;
            nextIn[chain] = firstIn[chains.lastVertex(chain)];
            firstIn[chains.lastVertex(chain)] = chain;
        }
    }

    /**
     * Removes chains. Returns false, and removes none, if the graph has more variants than GATK
     * keeps.
     */
    static boolean prune(KmerGraph graph, byte[] text, int kmerSize,
            AdaptiveChainPruner<?, ?> settings) {
        AdaptivePruning pruning = new AdaptivePruning(graph, text, kmerSize, settings);
        return pruning.chains.count == 0 || pruning.run();
    }

    private boolean run() {
        if (!findGoodChains(settings.initialErrorProbability)) {
            return false;
        }
        int errors = 0;
        int total = 0;
        for (int chain = 0; chain < chains.count; chain++) {
            if (!isGood[chain]) {
                errors += graph.multiplicities[lastEdge(chain)];
            }
            for (int k = chains.start(chain); k < chains.ends[chain]; k++) {
                total += graph.multiplicities[chains.edges[k]];
            }
        }
        if (!findGoodChains((double) errors / total)) {
            return false;
        }
        for (int chain = 0; chain < chains.count; chain++) {
            if (!isGood[chain] && !hasReference(chain)) {
                chains.remove(chain);
            }
        }
        return true;
    }

    /** Finds the good chains for a rate of errors. Returns false if there are too many variants. */
    private boolean findGoodChains(double errorRate) {
        isGoodAtStart = new boolean[chains.count];
        isGoodAtEnd = new boolean[chains.count];
        isGood = new boolean[chains.count];
        isReached = new boolean[graph.vertices];
        waiting = new int[chains.count];
        waitingCount = 0;
        int[] veryGoodEnds = new int[graph.vertices];
        for (int chain = 0; chain < chains.count; chain++) {
            double atStart = logOddsAtStart(chain, errorRate);
            double atEnd = logOddsAtEnd(chain, errorRate);
            boolean isReference = graph.isReferenceEdge(firstEdge(chain));
            isGoodAtStart[chain] = isReference || atStart >= settings.logOddsThreshold;
            isGoodAtEnd[chain] = isReference || atEnd >= settings.logOddsThreshold;
            if (atStart >= settings.seedingLogOddsThreshold
                    && atEnd >= settings.seedingLogOddsThreshold) {
                veryGoodEnds[chains.firstVertex(chain)]++;
                veryGoodEnds[chains.lastVertex(chain)]++;
            }
        }
        add(chainOfMostWeight());
        for (int vertex = 0; vertex < graph.vertices; vertex++) {
            if (veryGoodEnds[vertex] > MAX_ENDS_ON_A_PATH) {
                reach(vertex);
            }
        }
        while (waitingCount > 0) {
            int chain = waiting[--waitingCount];
            reach(chains.firstVertex(chain));
            reach(chains.lastVertex(chain));
        }
        return variants() <= settings.maxUnprunedVariants;
    }

    /** Adds the chains with a good end at a vertex. */
    private void reach(int vertex) {
        if (isReached[vertex]) {
            return;
        }
        isReached[vertex] = true;
        for (int chain = firstOut[vertex]; chain != KmerGraph.NONE; chain = nextOut[chain]) {
            if (isGoodAtStart[chain]) {
                add(chain);
            }
        }
        for (int chain = firstIn[vertex]; chain != KmerGraph.NONE; chain = nextIn[chain]) {
            if (isGoodAtEnd[chain]) {
                add(chain);
            }
        }
    }

    private void add(int chain) {
        if (!isGood[chain]) {
            isGood[chain] = true;
            waiting[waitingCount++] = chain;
        }
    }

    /** Returns how many good chains start where another good chain does. */
    private int variants() {
        int variants = 0;
        boolean[] isStart = new boolean[graph.vertices];
        for (int chain = 0; chain < chains.count; chain++) {
            if (isGood[chain]) {
                int vertex = chains.firstVertex(chain);
                variants += isStart[vertex] ? 1 : 0;
                isStart[vertex] = true;
            }
        }
        return variants;
    }

    private double logOddsAtStart(int chain, double errorRate) {
        int vertex = chains.firstVertex(chain);
        return graph.inDegrees[vertex] == 0 ? 0
                : logOdds(firstEdge(chain), graph.firstOut[vertex], graph.nextOut, errorRate);
    }

    private double logOddsAtEnd(int chain, double errorRate) {
        int vertex = chains.lastVertex(chain);
        return graph.outDegrees[vertex] == 0 ? 0
                : logOdds(lastEdge(chain), graph.firstIn[vertex], graph.nextIn, errorRate);
    }

    /** Compares an edge with all edges of a list, which begins with the first one. */
    private double logOdds(int edge, int first, int[] next, double errorRate) {
        int total = 0;
        for (int other = first; other != KmerGraph.NONE; other = next[other]) {
            total += graph.multiplicities[other];
        }
        int own = graph.multiplicities[edge];
        return Mutect2Engine.logLikelihoodRatio(total - own, own, errorRate);
    }

    /** Returns the chain of the edge with the largest multiplicity. The first of equal ones. */
    private int chainOfMostWeight() {
        int best = 0;
        int most = weight(0);
        for (int chain = 1; chain < chains.count; chain++) {
            int weight = weight(chain);
            if (weight > most || weight == most && isBefore(best, chain)) {
                best = chain;
                most = weight;
            }
        }
        return best;
    }

    private int weight(int chain) {
        int most = 0;
        for (int k = chains.start(chain); k < chains.ends[chain]; k++) {
            most = Math.max(most, graph.multiplicities[chains.edges[k]]);
        }
        return most;
    }

    /** Compares chains of the same weight: by their lengths, and then by their first k-mers. */
    private boolean isBefore(int one, int other) {
        int difference = length(one) - length(other);
        if (difference == 0) {
            difference = BaseUtils.BASES_COMPARATOR.compare(firstKmer(one), firstKmer(other));
        }
        return difference < 0;
    }

    private int length(int chain) {
        return chains.ends[chain] - chains.start(chain);
    }

    private byte[] firstKmer(int chain) {
        int position = graph.positions[chains.firstVertex(chain)];
        return Arrays.copyOfRange(text, position, position + kmerSize);
    }

    private int firstEdge(int chain) {
        return chains.edges[chains.start(chain)];
    }

    private int lastEdge(int chain) {
        return chains.edges[chains.ends[chain] - 1];
    }

    private boolean hasReference(int chain) {
        for (int k = chains.start(chain); k < chains.ends[chain]; k++) {
            if (graph.isReferenceEdge(chains.edges[k])) {
                return true;
            }
        }
        return false;
    }
}
