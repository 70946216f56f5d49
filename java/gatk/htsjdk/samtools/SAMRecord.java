package htsjdk.samtools;

/** Part of htsjdk's class. */
public class SAMRecord {
    public SAMRecord(SAMFileHeader header) {}

    public native Integer getReferenceIndex();

    public native int getAlignmentStart();

    public native int getAlignmentEnd();

    public native boolean getReadUnmappedFlag();

    public native SAMFileSource getFileSource();

    public native void setFileSource(SAMFileSource source);
}
