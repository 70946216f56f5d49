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
                "Cigar", "GenomicIndexUtil",
                "QueryInterval", "SAMFileWriterImpl", "SAMRecordCoordinateComparator",
                "SAMSortOrderChecker", "SamReader$PrimitiveSamReaderToSamReaderAdapter",
                "util/AbstractAsyncWriter", "util/BlockCompressedInputStream",
                "util/BlockCompressedOutputStream");
        know(ENGINE, "GATKTool", "ProgressMeter", "ReadsPathDataSource");
        know("", RecordClasses.FILTERS);
        know("", RecordClasses.OBJECTS);
        know("org/broadinstitute/hellbender/tools/", "PrintReads");
        know(UTILS, "BaseUtils", "iterators/SAMRecordToReadIterator",
                "iterators/SamReaderQueryingIterator", "read/CigarUtils", "read/ReadUtils",
                "read/SAMFileGATKReadWriter");
    }
}
