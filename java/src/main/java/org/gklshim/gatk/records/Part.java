package org.gklshim.gatk.records;

import org.gklshim.GatkPart;
import org.gklshim.Setting;

/** Takes the records of a BAM file without decoding them. */
public final class Part extends GatkPart {
    public static final Part INSTANCE = new Part();

    private static final String ENGINE = "org/broadinstitute/hellbender/engine/";
    private static final String SAMTOOLS = "htsjdk/samtools/";
    private static final String UTILS = "org/broadinstitute/hellbender/utils/";

    private Part() {
        super("records", new Setting("reads"));
        redirect(ENGINE + "ReadWalker", "org/gklshim/gatk/ReadTraversal", "traverse");
        know(SAMTOOLS, "AsyncSAMFileWriter", "BAMFileReader", "BAMFileReader$BAMFileIndexIterator",
                "BAMFileReader$BAMFileIterator", "BAMFileReader$BAMQueryFilteringIterator",
                "BAMFileWriter", "BAMIndexer", "BAMQueryMultipleIntervalsIteratorFilter",
                "BAMRecord", "BAMRecordCodec", "BinaryTagCodec", "Cigar", "GenomicIndexUtil",
                "QueryInterval", "SAMFileWriterImpl", "SAMRecord", "SAMRecordCoordinateComparator",
                "SAMSortOrderChecker", "SamReader$PrimitiveSamReaderToSamReaderAdapter",
                "util/AbstractAsyncWriter", "util/BinaryCodec", "util/BlockCompressedInputStream",
                "util/BlockCompressedOutputStream");
        know(ENGINE, "GATKTool", "ProgressMeter", "ReadsPathDataSource",
                "filters/AlignmentAgreesWithHeaderReadFilter", "filters/CountingReadFilter",
                "filters/CountingReadFilter$CountingAndReadFilter",
                "filters/CountingReadFilter$CountingBinopReadFilter",
                "filters/MappingQualityReadFilter", "filters/ReadFilterLibrary",
                "filters/ReadFilterLibrary$AllowAllReadsReadFilter",
                "filters/ReadFilterLibrary$CigarContainsNoNOperator",
                "filters/ReadFilterLibrary$FirstOfPairReadFilter",
                "filters/ReadFilterLibrary$GoodCigarReadFilter",
                "filters/ReadFilterLibrary$HasReadGroupReadFilter",
                "filters/ReadFilterLibrary$MappedReadFilter",
                "filters/ReadFilterLibrary$MappingQualityAvailableReadFilter",
                "filters/ReadFilterLibrary$MappingQualityNotZeroReadFilter",
                "filters/ReadFilterLibrary$MatchingBasesAndQualsReadFilter",
                "filters/ReadFilterLibrary$MateOnSameContigOrNoMappedMateReadFilter",
                "filters/ReadFilterLibrary$NonZeroFragmentLengthReadFilter",
                "filters/ReadFilterLibrary$NonZeroReferenceLengthAlignmentReadFilter",
                "filters/ReadFilterLibrary$NotDuplicateReadFilter",
                "filters/ReadFilterLibrary$NotProperlyPairedReadFilter",
                "filters/ReadFilterLibrary$NotSecondaryAlignmentReadFilter",
                "filters/ReadFilterLibrary$NotSupplementaryAlignmentReadFilter",
                "filters/ReadFilterLibrary$PairedReadFilter",
                "filters/ReadFilterLibrary$PassesVendorQualityCheckReadFilter",
                "filters/ReadFilterLibrary$PrimaryLineReadFilter",
                "filters/ReadFilterLibrary$ProperlyPairedReadFilter",
                "filters/ReadFilterLibrary$ReadLengthEqualsCigarLengthReadFilter",
                "filters/ReadFilterLibrary$SecondOfPairReadFilter",
                "filters/ReadFilterLibrary$SeqIsStoredReadFilter",
                "filters/ReadFilterLibrary$ValidAlignmentEndReadFilter",
                "filters/ReadFilterLibrary$ValidAlignmentStartReadFilter",
                "filters/WellformedReadFilter");
        know("org/broadinstitute/hellbender/tools/", "PrintReads");
        know(UTILS, "BaseUtils", "iterators/SAMRecordToReadIterator",
                "iterators/SamReaderQueryingIterator", "read/CigarUtils", "read/ReadUtils",
                "read/SAMFileGATKReadWriter", "read/SAMRecordToGATKReadAdapter");
    }
}
