package htsjdk.samtools;

/** Part of htsjdk's class. */
public class SAMSequenceRecord {
    public native int getSequenceLength();

    public native String getSequenceName();
}
