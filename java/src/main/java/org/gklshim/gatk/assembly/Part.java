package org.gklshim.gatk.assembly;

import org.gklshim.GatkPart;
import org.gklshim.Setting;

/** Builds assembly graphs in arrays. */
public final class Part extends GatkPart {
    public static final Part INSTANCE = new Part();

    private static final String WALKERS = "org/broadinstitute/hellbender/tools/walkers/";

    private Part() {
        super("assembly graphs", new Setting("assembly"));
        redirect(WALKERS + "haplotypecaller/readthreading/ReadThreadingAssembler", "GraphCreation",
                "createGraph")
                .open("generateSeqGraph", "numPruningSamples", "pruneBeforeCycleCounting",
                        "removePathsNotConnectedToRef", "justReturnRawGraph", "debug",
                        "debugGraphTransformations", "recoverDanglingBranches",
                        "recoverAllDanglingBranches", "minDanglingBranchLength",
                        "minBaseQualityToUseInAssembly", "pruneFactor", "chainPruner",
                        "minMatchingBasesToDanglingEndRecovery", "graphOutputPath");
        change(WALKERS + "haplotypecaller/graphs/AdaptiveChainPruner")
                .open("initialErrorProbability", "logOddsThreshold", "seedingLogOddsThreshold",
                        "maxUnprunedVariants");
        know(WALKERS, "haplotypecaller/AssemblyResult", "haplotypecaller/Kmer",
                "haplotypecaller/graphs/BaseEdge", "haplotypecaller/graphs/BaseGraph",
                "haplotypecaller/graphs/BaseGraph$BaseGraphIterator",
                "haplotypecaller/graphs/BaseVertex", "haplotypecaller/graphs/ChainPruner",
                "haplotypecaller/graphs/CommonSuffixSplitter", "haplotypecaller/graphs/GraphUtils",
                "haplotypecaller/graphs/LowWeightChainPruner",
                "haplotypecaller/graphs/MergeCommonSuffices",
                "haplotypecaller/graphs/MergeDiamonds", "haplotypecaller/graphs/MergeTails",
                "haplotypecaller/graphs/MultiSampleEdge", "haplotypecaller/graphs/Path",
                "haplotypecaller/graphs/SeqGraph", "haplotypecaller/graphs/SeqVertex",
                "haplotypecaller/graphs/SharedSequenceMerger",
                "haplotypecaller/graphs/SharedVertexSequenceSplitter",
                "haplotypecaller/graphs/SplitCommonSuffices",
                "haplotypecaller/graphs/VertexBasedTransformer",
                "haplotypecaller/readthreading/AbstractReadThreadingGraph",
                "haplotypecaller/readthreading/AbstractReadThreadingGraph$MyEdgeFactory",
                "haplotypecaller/readthreading/AbstractReadThreadingGraph$SequenceForKmers",
                "haplotypecaller/readthreading/MultiDeBruijnVertex",
                "haplotypecaller/readthreading/ReadThreadingGraph");
    }
}
