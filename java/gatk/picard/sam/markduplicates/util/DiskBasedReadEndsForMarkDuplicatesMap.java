package picard.sam.markduplicates.util;

/** Part of Picard's class. */
public class DiskBasedReadEndsForMarkDuplicatesMap {
    public DiskBasedReadEndsForMarkDuplicatesMap(int maxOpenFiles,
            ReadEndsForMarkDuplicatesCodec codec) {}

    public native ReadEndsForMarkDuplicates remove(int mateSequenceIndex, String key);

    public native void put(int mateSequenceIndex, String key, ReadEndsForMarkDuplicates readEnds);

    public native int size();

    public native int sizeInRam();
}
