package htsjdk.samtools;

/** Part of htsjdk's class. */
public class BAMFileSpan implements SAMFileSpan {
    public BAMFileSpan(Chunk chunk) {}
}
