package picard.sam.markduplicates.util;

/** Picard's interface. */
public interface ReadEndsForMarkDuplicatesMap {
    ReadEndsForMarkDuplicates remove(int mateSequenceIndex, String key);

    void put(int mateSequenceIndex, String key, ReadEndsForMarkDuplicates readEnds);

    int size();

    int sizeInRam();
}
