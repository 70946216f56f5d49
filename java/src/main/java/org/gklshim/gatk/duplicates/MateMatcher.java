package org.gklshim.gatk.duplicates;

import java.util.HashMap;
import java.util.Map;
import picard.sam.markduplicates.util.DiskBasedReadEndsForMarkDuplicatesMap;
import picard.sam.markduplicates.util.ReadEndsForMarkDuplicates;
import picard.sam.markduplicates.util.ReadEndsForMarkDuplicatesCodec;

/**
 * The reads whose mates were not seen yet, in a file sorted by coordinate. Those with the mate on the
 * same sequence are in memory. Picard's own map, which keeps a file for each sequence, has the
 * others.
 */
final class MateMatcher {
    private final DiskBasedReadEndsForMarkDuplicatesMap elsewhere;
    private final Map<String, ReadEndsForMarkDuplicates> here = new HashMap<>();
    private int sequence = -1;
    /** The reads whose mates did not come on the sequence where they should. */
    private int unmatched;

    MateMatcher(int maxOpenFiles) {
        elsewhere = new DiskBasedReadEndsForMarkDuplicatesMap(maxOpenFiles,
                new ReadEndsForMarkDuplicatesCodec());
    }

    /** Returns and forgets the mate of a read on this sequence, or returns null. */
    ReadEndsForMarkDuplicates remove(int readSequence, String key) {
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
        if (read.read2ReferenceIndex == sequence) {
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
