package htsjdk.samtools;

/** Part of htsjdk's interface. */
public interface SAMFileWriter extends AutoCloseable {
    void addAlignment(SAMRecord record);

    @Override
    void close();
}
