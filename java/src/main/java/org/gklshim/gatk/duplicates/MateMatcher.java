package org.gklshim.gatk.duplicates;

import java.util.HashMap;
import java.util.Map;
import picard.sam.markduplicates.util.DiskBasedReadEndsForMarkDuplicatesMap;
import picard.sam.markduplicates.util.MemoryBasedReadEndsForMarkDuplicatesMap;
import picard.sam.markduplicates.util.ReadEndsForMarkDuplicates;
import picard.sam.markduplicates.util.ReadEndsForMarkDuplicatesCodec;
import picard.sam.markduplicates.util.ReadEndsForMarkDuplicatesMap;

/**
 * The reads whose mates were not seen yet. In a file sorted by coordinate, those with the mate on
 * the same sequence are here, and Picard's own map, which keeps a file for each sequence, has the
 * others. In a file grouped by name, Picard's other map has all.
 */
final class MateMatcher {
    private final boolean isGrouped;
    private final ReadEndsForMarkDuplicatesMap elsewhere;
    private final Map<String, ReadEndsForMarkDuplicates> here = new HashMap<>();
    private int sequence = -1;
    /** The reads whose mates did not come on the sequence where they should. */
    private int unmatched;

    MateMatcher(boolean isGrouped, int maxOpenFiles) {
        this.isGrouped = isGrouped;
        elsewhere = isGrouped ? new MemoryBasedReadEndsForMarkDuplicatesMap()
                : new DiskBasedReadEndsForMarkDuplicatesMap(maxOpenFiles,
                new ReadEndsForMarkDuplicatesCodec());
    }

    /** Returns and forgets the mate of a read on this sequence, or returns null. */
    ReadEndsForMarkDuplicates remove(int readSequence, String key) {
        if (isGrouped) {
            return elsewhere.remove(readSequence, key);
        }
        if (readSequence != sequence) {
            if (readSequence < sequence) {
                throw new Unsuitable("reads that are not sorted by coordinate");
            }
            unmatched += here.size();
            here.clear();
            sequence = readSequence;
        }
        ReadEndsForMarkDuplicates mate = here.remove(key);
        return mate == null ? elsewhere.remove(readSequence, key) : mate;
    }

    /** Remembers a read for which {@link #remove} has just found no mate. */
    void put(String key, ReadEndsForMarkDuplicates read) {
        if (!isGrouped && read.read2ReferenceIndex == sequence) {
            here.put(key, read);
        } else {
            elsewhere.put(read.read2ReferenceIndex, key, read);
        }
    }

    int size() {
        return unmatched + here.size() + elsewhere.size();
    }

    int sizeInMemory() {
        return here.size() + elsewhere.sizeInRam();
    }
}
