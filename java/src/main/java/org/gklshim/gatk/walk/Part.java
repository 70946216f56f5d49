package org.gklshim.gatk.walk;

import org.gklshim.GatkPart;
import org.gklshim.Setting;

/** Finds active regions with fewer pileups. */
public final class Part extends GatkPart {
    public static final Part INSTANCE = new Part();

    private static final String ENGINE = "org/broadinstitute/hellbender/engine/";
    private static final String UTILS = "org/broadinstitute/hellbender/utils/";
    private static final String WALKERS = "org/broadinstitute/hellbender/tools/walkers/";

    private Part() {
        super("finding active regions", new Setting("walk"));
        redirect(ENGINE + "AssemblyRegionIterator", "ActiveRegions", "loadNextAssemblyRegion");
        know(ENGINE, "AlignmentContext", "AssemblyRegion", "MultiIntervalShard",
                "ReferenceContext", "ReferenceDataSource",
                "spark/AssemblyRegionArgumentCollection");
        know(WALKERS, "genotyper/GenotypingEngine", "genotyper/MinimalGenotypingEngine",
                "genotyper/afcalc/AlleleFrequencyCalculator",
                "haplotypecaller/HaplotypeCallerEngine", "haplotypecaller/RefVsAnyResult",
                "haplotypecaller/ReferenceConfidenceModel", "mutect/M2ArgumentCollection",
                "mutect/Mutect2Engine", "mutect/Mutect2Engine$PileupQualBuffer");
        know(UTILS, "IntervalUtils", "MathUtils", "QualityUtils", "SimpleInterval",
                "activityprofile/ActivityProfile", "activityprofile/ActivityProfileState",
                "activityprofile/BandPassActivityProfile", "iterators/IntervalLocusIterator",
                "iterators/ReadCachingIterator", "iterators/ShardedIntervalIterator",
                "locusiterator/AlignmentStateMachine",
                "locusiterator/IntervalAlignmentContextIterator",
                "locusiterator/LocusIteratorByState", "locusiterator/PerSampleReadStateManager",
                "locusiterator/ReadStateManager", "locusiterator/SamplePartitioner",
                "pileup/PileupElement", "pileup/ReadPileup", "read/ReadUtils",
                "read/SAMRecordToGATKReadAdapter");
    }
}
