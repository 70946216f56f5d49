package htsjdk.samtools;

/** Part of htsjdk's class. */
public class BAMRecordCodec {
    public native void encode(SAMRecord record);
}
