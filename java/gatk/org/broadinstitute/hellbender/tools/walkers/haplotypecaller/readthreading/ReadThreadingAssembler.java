package org.broadinstitute.hellbender.tools.walkers.haplotypecaller.readthreading;

import htsjdk.samtools.SAMFileHeader;
import java.io.File;
import org.broadinstitute.gatk.nativebindings.smithwaterman.SWParameters;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.AssemblyResult;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.graphs.ChainPruner;
import org.broadinstitute.hellbender.utils.haplotype.Haplotype;
import org.broadinstitute.hellbender.utils.read.GATKRead;
import org.broadinstitute.hellbender.utils.smithwaterman.SmithWatermanAligner;

/** Part of GATK's class, with a method that the agent adds, and fields that it makes public. */
public final class ReadThreadingAssembler {
    public boolean generateSeqGraph;
    public int numPruningSamples;
    public boolean pruneBeforeCycleCounting;
    public boolean removePathsNotConnectedToRef;
    public boolean justReturnRawGraph;
    public boolean debug;
    public boolean debugGraphTransformations;
    public boolean recoverDanglingBranches;
    public boolean recoverAllDanglingBranches;
    public int minDanglingBranchLength;
    public byte minBaseQualityToUseInAssembly;
    public int pruneFactor;
    public ChainPruner<?, ?> chainPruner;
    public int minMatchingBasesToDanglingEndRecovery;
    public File graphOutputPath;

    public native AssemblyResult createGraph$original(Iterable<GATKRead> reads,
            Haplotype refHaplotype, int kmerSize, boolean allowLowComplexityGraphs,
            boolean allowNonUniqueKmersInRef, SAMFileHeader header, SmithWatermanAligner aligner,
            SWParameters danglingEndSWParameters);
}
