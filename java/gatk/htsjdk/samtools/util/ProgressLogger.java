package htsjdk.samtools.util;

import htsjdk.samtools.SAMRecord;

/** Part of htsjdk's class. */
public class ProgressLogger {
    public ProgressLogger(Log log, int n, String verb) {}

    public native boolean record(String chrom, int pos);

    public native boolean record(SAMRecord record);
}
