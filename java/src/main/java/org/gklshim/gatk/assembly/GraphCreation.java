package org.gklshim.gatk.assembly;

import htsjdk.samtools.SAMFileHeader;
import java.util.function.Supplier;
import org.broadinstitute.gatk.nativebindings.smithwaterman.SWParameters;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.AssemblyResult;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.graphs.AdaptiveChainPruner;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.graphs.BaseEdge;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.graphs.LowWeightChainPruner;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.graphs.SeqGraph;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.graphs.SeqVertex;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.readthreading.ReadThreadingAssembler;
import org.broadinstitute.hellbender.utils.haplotype.Haplotype;
import org.broadinstitute.hellbender.utils.read.GATKRead;
import org.broadinstitute.hellbender.utils.read.ReadUtils;
import org.broadinstitute.hellbender.utils.smithwaterman.SmithWatermanAligner;

/**
 * Makes the assembly graph of a region for one size of k-mers. It takes the place of a method of
 * GATK's ReadThreadingAssembler.
 *
 * <p>GATK's graph of k-mers has an object for each vertex and edge, in hash tables. Ours is in
 * arrays ({@link KmerGraph}), and becomes GATK's SeqGraph when few vertices are left. That has the
 * same vertices and edges in the same order, so all that follows is the same. Unusual settings are
 * left to GATK.
 */
public final class GraphCreation {
    private GraphCreation() {}

    /** Takes the place of the method. Returns null if another size of k-mers is to be tried. */
    public static AssemblyResult createGraph(ReadThreadingAssembler assembler,
            Iterable<GATKRead> reads, Haplotype refHaplotype, int kmerSize,
            boolean allowLowComplexityGraphs, boolean allowNonUniqueKmersInRef,
            SAMFileHeader header, SmithWatermanAligner aligner, SWParameters parameters) {
        Supplier<AssemblyResult> original = () -> assembler.createGraph$original(reads,
                refHaplotype, kmerSize, allowLowComplexityGraphs, allowNonUniqueKmersInRef, header,
                aligner, parameters);
        if (!isUsual(assembler) || kmerSize < 1 || refHaplotype.length() <= kmerSize) {
            return original.get();
        }
        Sequences sequences = new Sequences(refHaplotype.getBases(), kmerSize,
                assembler.minBaseQualityToUseInAssembly);
        Threading threading = new Threading(sequences, kmerSize);
        if (!allowNonUniqueKmersInRef && threading.referenceHasRepeats()) {
            return null;
        }
        for (GATKRead read : reads) {
            add(sequences, read, header);
        }
        threading.run();
        KmerGraph graph = threading.graph;
        if (!prune(graph, sequences.text, kmerSize, assembler)) {
            return original.get();
        }
        threading.removeSingletons();
        if (graph.hasCycle() || !allowLowComplexityGraphs && threading.isLowQuality()) {
            return null;
        }
        DanglingEnds ends = new DanglingEnds(graph, sequences, kmerSize, assembler.pruneFactor,
                assembler.minDanglingBranchLength, assembler.recoverAllDanglingBranches, aligner,
                parameters);
        ends.joinTails();
        ends.joinHeads();
        graph.removeAllButPaths();
        // Without this setting, a branch that joins the graph cannot make a cycle.
        if (assembler.recoverAllDanglingBranches && graph.hasCycle()) {
            return null;
        }
        return simplified(graph, sequences.text, kmerSize);
    }

    private static boolean isUsual(ReadThreadingAssembler assembler) {
        return assembler.generateSeqGraph && assembler.pruneBeforeCycleCounting
                && assembler.numPruningSamples == 1
                && (assembler.chainPruner instanceof LowWeightChainPruner
                        || assembler.chainPruner instanceof AdaptiveChainPruner)
                && assembler.recoverDanglingBranches
                && assembler.minDanglingBranchLength > 0
                && assembler.minMatchingBasesToDanglingEndRecovery < 0
                && assembler.removePathsNotConnectedToRef && !assembler.justReturnRawGraph
                && !assembler.debug && !assembler.debugGraphTransformations
                && assembler.graphOutputPath == null;
    }

    private static void add(Sequences sequences, GATKRead read, SAMFileHeader header) {
        byte[] bases = read.getBasesNoCopy();
        byte[] qualities = read.getBaseQualitiesNoCopy();
        int start = sequences.partStart(bases, qualities, 0);
        if (start >= 0) {
            sequences.addRead(bases, qualities, start, ReadUtils.getSampleName(read, header));
        }
    }

    /** Removes chains as the assembler is told to. Returns false if only GATK can do it. */
    private static boolean prune(KmerGraph graph, byte[] text, int kmerSize,
            ReadThreadingAssembler assembler) {
        if (assembler.chainPruner instanceof AdaptiveChainPruner) {
            return AdaptivePruning.prune(graph, text, kmerSize,
                    (AdaptiveChainPruner<?, ?>) assembler.chainPruner);
        }
        new Chains(graph).removeRare(assembler.pruneFactor);
        return true;
    }

    /** Returns what GATK makes of a graph of k-mers that are all on paths over the reference. */
    private static AssemblyResult simplified(KmerGraph kmers, byte[] text, int kmerSize) {
        SequenceGraph ours = ChainGraph.of(kmers, text, kmerSize);
        SeqGraph graph;
        if (Simplification.simplify(ours) && ours.hasReferenceEnds()) {
            graph = ours.toSeqGraph(kmerSize);
        } else {
            graph = ChainGraph.of(kmers, text, kmerSize).toSeqGraph(kmerSize);
            graph.simplifyGraph();
            if (graph.getReferenceSourceVertex() == null
                    || graph.getReferenceSinkVertex() == null) {
                return new AssemblyResult(
                        AssemblyResult.Status.JUST_ASSEMBLED_REFERENCE, graph, null);
            }
            graph.removePathsNotConnectedToRef();
            graph.simplifyGraph();
        }
        if (graph.vertexSet().size() == 1) {
            // GATK needs an edge.
            SeqVertex reference = graph.vertexSet().iterator().next();
            SeqVertex end = new SeqVertex(new byte[0]);
            graph.addVertex(end);
            graph.addEdge(reference, end, new BaseEdge(true, 0));
        }
        return new AssemblyResult(AssemblyResult.Status.ASSEMBLED_SOME_VARIATION, graph, null);
    }
}
