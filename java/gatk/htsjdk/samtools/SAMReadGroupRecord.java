package htsjdk.samtools;

/** Part of htsjdk's class. */
public class SAMReadGroupRecord {
    public native String getReadGroupId();
}
