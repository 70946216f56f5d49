package htsjdk.samtools;

/** Part of htsjdk's class. */
public class BAMIndexer {
    public native void processAlignment(SAMRecord record);
}
