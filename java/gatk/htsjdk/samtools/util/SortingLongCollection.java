package htsjdk.samtools.util;

/** Part of htsjdk's class. */
public class SortingLongCollection {
    public int maxValuesInRam;
    public int numValuesInRam;
    public long[] ramValues;

    public native void add$original(long value);
}
