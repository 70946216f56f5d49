package htsjdk.samtools;

/** Part of htsjdk's class. */
public interface SamReader {
    SAMFileHeader getFileHeader();
}
