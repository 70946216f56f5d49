package htsjdk.samtools.reference;

/** Part of htsjdk's class. */
public class ReferenceSequence {
    public native byte[] getBases();
}
