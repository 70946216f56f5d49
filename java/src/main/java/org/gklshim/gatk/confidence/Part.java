package org.gklshim.gatk.confidence;

import org.gklshim.GatkPart;
import org.gklshim.Setting;

/** Adds up the confidence in the reference read by read. */
public final class Part extends GatkPart {
    public static final Part INSTANCE = new Part();

    private static final String ENGINE = "org/broadinstitute/hellbender/engine/";
    private static final String UTILS = "org/broadinstitute/hellbender/utils/";
    private static final String WALKERS = "org/broadinstitute/hellbender/tools/walkers/";

    private Part() {
        super("confidence in the reference", new Setting("confidence"));
        redirect(WALKERS + "haplotypecaller/ReferenceConfidenceModel", "ReferenceConfidence",
                "calculateRefConfidence", "calcGenotypeLikelihoodsOfRefVsAny",
                "calcNReadsWithNoPlausibleIndelsReads")
                .open("samples", "indelInformativeDepthIndelSize", "refModelDeletionQuality",
                        "useSoftClippedBases", "flowBasedModel");
        change(WALKERS + "haplotypecaller/RefVsAnyResult")
                .open("genotypeLikelihoods");
        know(ENGINE, "AssemblyRegion");
        know(WALKERS, "haplotypecaller/AssemblyBasedCallerUtils",
                "haplotypecaller/ReferenceConfidenceResult");
        know(UTILS, "MathUtils", "Nucleotide", "QualityUtils", "SimpleInterval",
                "genotyper/AlleleLikelihoods", "haplotype/Haplotype",
                "locusiterator/AlignmentStateMachine", "locusiterator/LocusIteratorByState",
                "locusiterator/PerSampleReadStateManager", "locusiterator/ReadStateManager",
                "pileup/PileupElement", "pileup/ReadPileup", "read/AlignmentUtils",
                "read/CigarUtils", "read/ReadCoordinateComparator", "read/ReadUtils",
                "read/SAMRecordToGATKReadAdapter", "variant/GATKVariantContextUtils");
    }
}
