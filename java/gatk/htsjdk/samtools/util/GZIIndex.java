package htsjdk.samtools.util;

/** Part of htsjdk's class. */
public final class GZIIndex {
    /** Part of htsjdk's class. */
    public static final class GZIIndexer {}
}
