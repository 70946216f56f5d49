package htsjdk.samtools;

/** Part of htsjdk's class. */
public class SAMFileSource {
    public SAMFileSource(SamReader reader, SAMFileSpan span) {}
}
