package htsjdk.samtools;

/** Part of htsjdk's class. */
public class SAMReadGroupRecord {
    public native String getId();

    public native String getPlatform();

    public native String getPlatformUnit();

    public native String getReadGroupId();

    public native String getSample();
}
