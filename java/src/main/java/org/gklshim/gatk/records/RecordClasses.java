package org.gklshim.gatk.records;

import java.util.Arrays;
import java.util.stream.Stream;

/**
 * The classes of GATK and htsjdk on which the room for reads depends. A part that takes its reads
 * from here must know them. They are names: the agent asks before GATK loads a class.
 */
public final class RecordClasses {
    /** Those of reads that come as objects and become bytes, or the other way round. */
    public static final String[] OBJECTS = {
        "htsjdk/samtools/BAMRecord", "htsjdk/samtools/BAMRecordCodec",
        "htsjdk/samtools/BinaryTagCodec", "htsjdk/samtools/SAMRecord",
        "htsjdk/samtools/util/BinaryCodec",
        "org/broadinstitute/hellbender/utils/read/SAMRecordToGATKReadAdapter",
    };

    private static final String FOLDER = "org/broadinstitute/hellbender/engine/filters/";
    private static final String[] LIBRARY = {
        "AllowAllReadsReadFilter", "CigarContainsNoNOperator", "FirstOfPairReadFilter",
        "GoodCigarReadFilter", "HasReadGroupReadFilter", "MappedReadFilter",
        "MappingQualityAvailableReadFilter", "MappingQualityNotZeroReadFilter",
        "MatchingBasesAndQualsReadFilter", "MateOnSameContigOrNoMappedMateReadFilter",
        "NonZeroFragmentLengthReadFilter", "NonZeroReferenceLengthAlignmentReadFilter",
        "NotDuplicateReadFilter", "NotProperlyPairedReadFilter", "NotSecondaryAlignmentReadFilter",
        "NotSupplementaryAlignmentReadFilter", "PairedReadFilter",
        "PassesVendorQualityCheckReadFilter", "PrimaryLineReadFilter", "ProperlyPairedReadFilter",
        "ReadLengthEqualsCigarLengthReadFilter", "SecondOfPairReadFilter", "SeqIsStoredReadFilter",
        "ValidAlignmentEndReadFilter", "ValidAlignmentStartReadFilter",
    };
    private static final String[] OTHERS = {
        "AlignmentAgreesWithHeaderReadFilter", "CountingReadFilter",
        "CountingReadFilter$CountingAndReadFilter", "CountingReadFilter$CountingBinopReadFilter",
        "MappingQualityReadFilter", "ReadFilterLibrary", "WellformedReadFilter",
    };

    /** The filters that {@link RecordFilters} applies to bytes, and what combines and counts. */
    public static final String[] FILTERS = Stream.concat(
            Arrays.stream(OTHERS), Arrays.stream(LIBRARY).map("ReadFilterLibrary$"::concat))
            .map(FOLDER::concat).toArray(String[]::new);

    private RecordClasses() {}
}
