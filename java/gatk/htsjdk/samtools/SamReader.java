package htsjdk.samtools;

/** Part of htsjdk's interface. */
public interface SamReader {
    SAMFileHeader getFileHeader();
}
