package org.gklshim;

import htsjdk.samtools.SAMFileHeader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.broadinstitute.gatk.nativebindings.smithwaterman.SWParameters;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.AssemblyResult;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.graphs.BaseEdge;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.graphs.SeqGraph;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.graphs.SeqVertex;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.readthreading.ReadThreadingAssembler;
import org.broadinstitute.hellbender.utils.haplotype.Haplotype;
import org.broadinstitute.hellbender.utils.read.GATKRead;
import org.broadinstitute.hellbender.utils.smithwaterman.SmithWatermanAligner;

/**
 * What {@link CheckAgent} calls. It prints a line about each graph on standard error: who made it,
 * and whether it has variation, has none, or was refused. A graph that differs has a line more.
 */
public final class AssemblyCheckCalls {
    private AssemblyCheckCalls() {}

    public static AssemblyResult createGraph(ReadThreadingAssembler assembler,
            Iterable<GATKRead> reads, Haplotype reference, int kmerSize, boolean lowComplexity,
            boolean nonUnique, SAMFileHeader header, SmithWatermanAligner aligner,
            SWParameters parameters) throws ReflectiveOperationException {
        AtomicBoolean isLeftToGatk = new AtomicBoolean();
        Iterable<GATKRead> watched = () -> {
            isLeftToGatk.compareAndSet(false, isGatkRunning(assembler));
            return reads.iterator();
        };
        Class<?> type = Class.forName("org.gklshim.gatk.assembly.GraphCreation");
        AssemblyResult ours = (AssemblyResult) CheckAgent.original(type, "createGraph").invoke(
                null, assembler, watched, reference, kmerSize, lowComplexity, nonUnique, header,
                aligner, parameters);
        AssemblyResult gatks = (AssemblyResult) CheckAgent.original(
                assembler.getClass(), "createGraph").invoke(assembler, reads, reference, kmerSize,
                lowComplexity, nonUnique, header, aligner, parameters);
        List<String> expected = describe(gatks);
        List<String> found = describe(ours);
        System.err.println("graph: " + (isLeftToGatk.get() ? "GATK's " : "ours ")
                + (gatks == null ? "refused" : expected.size() > 4 ? "variation" : "none"));
        if (!expected.equals(found)) {
            System.err.println("different: k " + kmerSize + " " + reference.getGenomeLocation()
                    + "\n" + expected + "\n" + found);
        }
        return ours;
    }

    /** Returns whether the caller is GATK's own method. */
    private static boolean isGatkRunning(ReadThreadingAssembler assembler) {
        for (StackTraceElement frame : new Throwable().getStackTrace()) {
            if (frame.getClassName().equals(assembler.getClass().getName())
                    && frame.getMethodName().equals("createGraph$original")) {
                return true;
            }
        }
        return false;
    }

    /** Describes a graph: its vertices and edges, in order, with all that GATK asks them for. */
    private static List<String> describe(AssemblyResult result) {
        List<String> lines = new ArrayList<>();
        if (result == null) {
            return lines;
        }
        lines.add(String.valueOf(result.getStatus()));
        SeqGraph graph = result.getSeqGraph();
        if (graph == null) {
            return lines;
        }
        List<SeqVertex> vertices = new ArrayList<>(graph.vertexSet());
        for (SeqVertex vertex : vertices) {
            lines.add(vertex.getSequenceString() + " " + graph.isReferenceNode(vertex)
                    + " in " + edges(graph, vertices, graph.incomingEdgesOf(vertex))
                    + " out " + edges(graph, vertices, graph.outgoingEdgesOf(vertex)));
        }
        lines.add("edges " + edges(graph, vertices, graph.edgeSet()));
        return lines;
    }

    private static String edges(SeqGraph graph, List<SeqVertex> vertices,
            Iterable<BaseEdge> edges) {
        StringBuilder text = new StringBuilder();
        for (BaseEdge edge : edges) {
            text.append(vertices.indexOf(graph.getEdgeSource(edge))).append('>')
                    .append(vertices.indexOf(graph.getEdgeTarget(edge))).append(' ')
                    .append(edge.getMultiplicity()).append(edge.isRef() ? "R" : "")
                    .append(edge.getPruningMultiplicity()).append(' ');
        }
        return text.toString();
    }
}
