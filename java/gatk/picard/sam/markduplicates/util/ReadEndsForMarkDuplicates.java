package picard.sam.markduplicates.util;

/** Part of Picard's class. */
public class ReadEndsForMarkDuplicates extends ReadEnds {
    public short score;
    public long read1IndexInFile;
    public long read2IndexInFile;
}
