package org.gklshim.gatk.duplicates;

import org.gklshim.GatkPart;
import org.gklshim.Setting;

/** Marks duplicates without decoding records. */
public final class Part extends GatkPart {
    public static final Part INSTANCE = new Part();

    private static final String PICARD = "picard/sam/";
    private static final String SAMTOOLS = "htsjdk/samtools/";
    private static final byte ICONST_0 = 0x03;
    private static final byte ILOAD_1 = 0x1b;
    private static final byte NEWARRAY = (byte) 0xbc;
    /** The type of an array of long. */
    private static final byte LONG = 11;

    private Part() {
        super("duplicates", new Setting("duplicates"), "Picard", "MarkDuplicates");
        redirect(PICARD + "markduplicates/MarkDuplicates", "DuplicateMarking", "doWork");
        // The constructor makes no array for as many values as the heap holds: add() makes it.
        redirect(SAMTOOLS + "util/SortingLongCollection", "SortedLongs", "add")
                .open("maxValuesInRam", "numValuesInRam", "ramValues")
                .replace(new byte[] {ILOAD_1, NEWARRAY, LONG},
                        new byte[] {ICONST_0, NEWARRAY, LONG});
        know(SAMTOOLS, "BAMFileReader", "BAMRecord", "BAMRecordCodec", "BinaryTagCodec", "Cigar",
                "DuplicateScoringStrategy", "MergingSamRecordIterator", "SAMRecord",
                "SAMRecordCoordinateComparator", "SAMRecordQueryNameComparator", "SAMUtils",
                "SamFileHeaderMerger", "util/BlockCompressedInputStream");
        know(PICARD, "DuplicationMetrics", "markduplicates/EstimateLibraryComplexity",
                "markduplicates/UmiUtil",
                "markduplicates/util/AbstractMarkDuplicatesCommandLineProgram",
                "markduplicates/util/AbstractMarkDuplicatesCommandLineProgram$SamHeaderAndIterator",
                "markduplicates/util/DiskBasedReadEndsForMarkDuplicatesMap",
                "markduplicates/util/LibraryIdGenerator",
                "markduplicates/util/MemoryBasedReadEndsForMarkDuplicatesMap",
                "markduplicates/util/OpticalDuplicateFinder", "markduplicates/util/ReadEnds",
                "markduplicates/util/ReadEndsForMarkDuplicates",
                "markduplicates/util/ReadEndsForMarkDuplicatesWithBarcodes",
                "markduplicates/util/ReadEndsForMarkDuplicatesWithBarcodesCodec",
                "util/ReadNameParser");
    }
}
