package org.gklshim.gatk.bam;

import htsjdk.samtools.BAMFileWriter;
import htsjdk.samtools.SAMException;
import htsjdk.samtools.SAMRecord;

/** Writing of BAM files with an index. */
public final class BamOutput {
    private BamOutput() {}

    /** Takes the place of the method of {@link BAMFileWriter}. */
    public static void writeAlignment(BAMFileWriter writer, SAMRecord record) {
        PendingIndex index = writer.bamIndexer == null ? null : PendingIndex.of(writer);
        if (index == null || !isWritten(writer, index, record)) {
            writer.writeAlignment$original(record);
        }
    }

    private static boolean isWritten(BAMFileWriter writer, PendingIndex index, SAMRecord record) {
        try {
            return index.write(record);
        } catch (Exception e) {
            // As in htsjdk.
            writer.bamIndexer = null;
            index.clear();
            throw new SAMException(
                    "Exception when processing alignment for BAM index " + record, e);
        }
    }
}
