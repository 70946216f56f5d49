package org.gklshim.gatk.duplicates;

import htsjdk.samtools.util.SortingLongCollection;
import java.util.Arrays;

/**
 * The memory of a collection of numbers that spills to disk. htsjdk allocates all that the
 * collection may ever hold, a quarter of the heap in MarkDuplicates. Here it grows with its values.
 */
public final class SortedLongs {
    private static final int FIRST_SIZE = 1 << 10;

    private SortedLongs() {}

    /** Replaces the method of SortingLongCollection. It spills when the original would. */
    public static void add(SortingLongCollection collection, long value) {
        long[] values = collection.ramValues;
        if (values != null && collection.numValuesInRam == values.length
                && values.length < collection.maxValuesInRam) {
            long larger = Math.max(FIRST_SIZE, 2L * values.length);
            collection.ramValues = Arrays.copyOf(values,
                    (int) Math.min(larger, collection.maxValuesInRam));
        }
        collection.add$original(value);
    }
}
