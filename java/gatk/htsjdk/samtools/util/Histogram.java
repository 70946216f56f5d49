package htsjdk.samtools.util;

/** Part of htsjdk's class. */
@SuppressWarnings("rawtypes")
public final class Histogram<K extends Comparable> {
    public native void increment(K id, double increment);
}
