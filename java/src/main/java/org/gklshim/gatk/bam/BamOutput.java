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
            throw failed(writer, record, e);
        }
    }

    /** Gives up the index, as htsjdk does, and returns its exception. */
    static SAMException failed(BAMFileWriter writer, SAMRecord record, Exception cause) {
        PendingIndex index = PendingIndex.of(writer);
        if (index != null) {
            index.clear();
        }
        writer.bamIndexer = null;
        return new SAMException("Exception when processing alignment for BAM index " + record,
                cause);
    }
}
