package htsjdk.samtools;

/** Part of htsjdk's class. */
public class Chunk {
    public Chunk(long start, long end) {}
}
