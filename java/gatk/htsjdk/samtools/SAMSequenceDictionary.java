package htsjdk.samtools;

/** Part of htsjdk's class. */
public class SAMSequenceDictionary {
    public native SAMSequenceRecord getSequence(String name);
}
