package htsjdk.samtools;

/** Part of htsjdk's interface. */
public interface SAMFileWriter extends AutoCloseable {
    SAMFileHeader getFileHeader();

    void addAlignment(SAMRecord record);

    @Override
    void close();
}
