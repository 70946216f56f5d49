package org.gklshim.gatk.assembly;

/** Removes chains that no sample has often enough, as GATK's LowWeightChainPruner does. */
final class LowWeightPruning {
    private LowWeightPruning() {}

    /** Removes chains of which all edges have less than a multiplicity, except the reference's. */
    static void prune(KmerGraph graph, int factor) {
        Chains chains = new Chains(graph);
        for (int chain = 0; chain < chains.count; chain++) {
            if (isLow(graph, chains, chain, factor)) {
                chains.remove(chain);
            }
        }
    }

    private static boolean isLow(KmerGraph graph, Chains chains, int chain, int factor) {
        for (int k = chains.start(chain); k < chains.ends[chain]; k++) {
            int edge = chains.edges[k];
            if (graph.sampleMultiplicities[edge] >= factor || graph.isReferenceEdge(edge)) {
                return false;
            }
        }
        return true;
    }
}
