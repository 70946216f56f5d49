package picard.sam.markduplicates.util;

import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMRecord;
import htsjdk.samtools.util.Histogram;
import picard.sam.DuplicationMetrics;

/** Part of Picard's class. */
public class LibraryIdGenerator {
    public LibraryIdGenerator(SAMFileHeader header) {}

    public static native String getLibraryName(SAMFileHeader header, SAMRecord record);

    public native short getLibraryId(SAMRecord record);

    public native DuplicationMetrics getMetricsByLibrary(String library);

    public native void addMetricsByLibrary(String library, DuplicationMetrics metrics);

    public native Histogram<Double> getDuplicateCountHist();

    public native Histogram<Double> getNonOpticalDuplicateCountHist();

    public native long getNumberOfOpticalDuplicateClusters();
}
