package org.gklshim.gatk.regions;

import org.gklshim.GatkPart;
import org.gklshim.Setting;

/** Calls regions in several threads. */
public final class Part extends GatkPart {
    public static final Part INSTANCE = new Part();

    private static final String ENGINE = "org/broadinstitute/hellbender/engine/";
    private static final String UTILS = "org/broadinstitute/hellbender/utils/";
    private static final String WALKERS = "org/broadinstitute/hellbender/tools/walkers/";

    private Part() {
        super("regions", new Setting("region_threads"));
        redirect(ENGINE + "AssemblyRegionWalker", "RegionTraversal", "traverse",
                "processReadShard");
        redirect(ENGINE + "FeatureManager", "FeatureQueries", "getFeatures");
        redirect(UTILS + "Utils", "RandomNumbers", "getRandomGenerator", "getRandomDataGenerator");
        redirect(WALKERS + "annotator/QualByDepth", "HighQd", "annotate", "fixTooHighQD");
        redirect(WALKERS + "genotyper/GenotypesCache", "Genotypes", "get");
        redirect(WALKERS + "genotyper/GenotypingEngine", "EmittedDeletions", "recordDeletions",
                "isVcCoveredByDeletion")
                .open("upstreamDeletionsLoc");
        know(ENGINE, "AssemblyRegion", "AssemblyRegionIterator", "FeatureCache", "FeatureContext",
                "FeatureDataSource", "GATKTool", "MultiIntervalLocalReadShard",
                "ProgressMeter", "ReferenceContext", "ReferenceDataSource",
                "spark/AssemblyRegionArgumentCollection");
        know(WALKERS, "annotator/VariantAnnotatorEngine",
                "haplotypecaller/AssemblyBasedCallerArgumentCollection",
                "haplotypecaller/AssemblyBasedCallerUtils", "haplotypecaller/HaplotypeCaller",
                "haplotypecaller/HaplotypeCallerArgumentCollection",
                "haplotypecaller/HaplotypeCallerEngine",
                "haplotypecaller/HaplotypeCallerGenotypingEngine",
                "haplotypecaller/ReferenceConfidenceModel",
                "haplotypecaller/readthreading/ReadThreadingAssembler",
                "mutect/M2ArgumentCollection", "mutect/Mutect2", "mutect/Mutect2Engine",
                "mutect/SomaticGenotypingEngine");
        know(UTILS, "downsampling/ReservoirDownsampler", "fragments/FragmentUtils",
                "haplotype/HaplotypeBAMWriter", "pileup/PileupBasedAlleles",
                "read/SAMRecordToGATKReadAdapter", "variant/GATKVariantContextUtils");
    }
}
