package htsjdk.samtools;

/** Part of htsjdk's class. */
public class SAMFileHeader {
    public native SAMSequenceRecord getSequence(String name);

    public native SAMSequenceRecord getSequence(int index);
}
