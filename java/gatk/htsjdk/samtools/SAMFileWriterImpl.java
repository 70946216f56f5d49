package htsjdk.samtools;

/** Part of htsjdk's class. */
public abstract class SAMFileWriterImpl {
    public native SAMFileHeader getFileHeader();

    public native void addAlignment(SAMRecord record);
}
