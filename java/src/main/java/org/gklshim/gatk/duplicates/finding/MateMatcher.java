package org.gklshim.gatk.duplicates.finding;

import org.gklshim.gatk.duplicates.UnsuitableException;
import org.gklshim.gatk.duplicates.reading.Places;
import picard.sam.markduplicates.util.DiskBasedReadEndsForMarkDuplicatesMap;
import picard.sam.markduplicates.util.ReadEndsForMarkDuplicates;
import picard.sam.markduplicates.util.ReadEndsForMarkDuplicatesMap;
import picard.sam.markduplicates.util.ReadEndsForMarkDuplicatesWithBarcodesCodec;

/**
 * The reads whose mates were not seen yet. In a file sorted by coordinate, those with the mate on
 * the same sequence are here, and Picard's own map, which keeps a file for each sequence, has the
 * others. In a file grouped by name, all are here.
 */
final class MateMatcher {
    private static final int FILTER_BITS = 26;

    private final Places places;
    private final PendingReads here = new PendingReads();
    /** Null if the file is grouped by name. */
    private final ReadEndsForMarkDuplicatesMap elsewhere;
    /** A bit for the hash of each read that is elsewhere or was. Null if none was. */
    private long[] filter;
    private int sequence = -1;
    /** The reads whose mates did not come on the sequence where they should. */
    private int unmatched;

    MateMatcher(Places places, boolean isGrouped, int maxOpenFiles) {
        this.places = places;
        elsewhere = isGrouped ? null : new DiskBasedReadEndsForMarkDuplicatesMap(maxOpenFiles,
                new ReadEndsForMarkDuplicatesWithBarcodesCodec());
    }

    /**
     * Forgets the mate of a read on this sequence, and puts it into an object. Returns false if it
     * was not seen yet.
     */
    boolean remove(int readSequence, MateKey key, ReadEnd mate) {
        if (elsewhere != null && readSequence != sequence) {
            if (readSequence < sequence) {
                throw new UnsuitableException("reads that are not sorted by coordinate");
            }
            unmatched += here.size();
            here.clear();
            sequence = readSequence;
        }
        return here.remove(readSequence, key, mate) || removeElsewhere(readSequence, key, mate);
    }

    private boolean removeElsewhere(int readSequence, MateKey key, ReadEnd mate) {
        if (filter == null || (filter[filterWord(key)] & 1L << key.hash) == 0) {
            return false;
        }
        ReadEndsForMarkDuplicates found = elsewhere.remove(readSequence, key.text());
        if (found != null) {
            mate.read(found, places);
        }
        return found != null;
    }

    private static int filterWord(MateKey key) {
        return key.hash >>> 32 - FILTER_BITS + 6;
    }

    /** Remembers a read for which {@link #remove} has just found no mate. */
    void put(MateKey key, ReadEnd read) {
        if (elsewhere == null || read.mateSequence == sequence) {
            here.put(key, read);
            return;
        }
        if (filter == null) {
            filter = new long[1 << FILTER_BITS - 6];
        }
        filter[filterWord(key)] |= 1L << key.hash;
        elsewhere.put(read.mateSequence, key.text(), read.toPicard(places));
    }

    int size() {
        return unmatched + here.size() + (elsewhere == null ? 0 : elsewhere.size());
    }

    int sizeInMemory() {
        return here.size() + (elsewhere == null ? 0 : elsewhere.sizeInRam());
    }
}
