package picard.sam.markduplicates.util;

/** Part of Picard's class. */
public class MemoryBasedReadEndsForMarkDuplicatesMap implements ReadEndsForMarkDuplicatesMap {
    @Override
    public native ReadEndsForMarkDuplicates remove(int mateSequenceIndex, String key);

    @Override
    public native void put(int mateSequenceIndex, String key, ReadEndsForMarkDuplicates readEnds);

    @Override
    public native int size();

    @Override
    public native int sizeInRam();
}
