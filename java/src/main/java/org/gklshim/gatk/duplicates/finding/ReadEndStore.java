package org.gklshim.gatk.duplicates.finding;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import org.gklshim.gatk.duplicates.Unsuitable;
import org.gklshim.gatk.duplicates.reading.Genome;
import picard.sam.markduplicates.util.ReadEndsForMarkDuplicates;

/**
 * The ends of reads, in few words each. Equal ends are in one partition. What does not fit into the
 * given memory goes to temporary files.
 */
public final class ReadEndStore implements Closeable {
    static final int PAIR_WORDS = 5;
    static final int UNPAIRED_WORDS = 4;
    /** Larger coordinates would overflow in Picard's comparisons. */
    private static final int MAX_COORDINATE = 1 << 30;

    /** The library, both places, the orientation; then what breaks ties, and the rest. */
    public final Partitions pairs = new Partitions(PAIR_WORDS);
    /** The same for reads without a mapped mate. */
    public final Partitions unpaired = new Partitions(UNPAIRED_WORDS);
    /** The places of reads of pairs. */
    public final Partitions pairedReads = new Partitions(1);

    private final long maxWords;
    private final File folder;

    public ReadEndStore(long maxBytes, File folder) {
        maxWords = maxBytes / 8;
        this.folder = folder;
    }

    /**
     * Adds a pair.
     *
     * @param left the end that comes first on the genome
     * @param located the end that has the place on the flow cell, and the read group
     */
    void addPair(ReadEnd left, ReadEnd right, ReadEnd located, byte orientation,
            byte opticalOrientation) {
        long first = ((long) located.library << Genome.PLACE_BITS | left.place) << 3 | orientation;
        long second = right.place << 16 | tile(located.tile);
        long score = left.score + right.score & 0xffffL;
        pairs.add(hash(first, second), first, second, place(located.x, located.y),
                left.index << 24 | score << 8 | opticalOrientation,
                right.index << 16 | located.group & 0xffffL);
    }

    /** Returns the hash of a pair by its first two words, but not by its tile. */
    static long hash(long first, long second) {
        return Partitions.hash(Partitions.hash(first) + (second >>> 16));
    }

    /** Returns the number of the place that a single read has in common with its duplicates. */
    private static long key(ReadEnd read) {
        return ((long) read.library << Genome.PLACE_BITS | read.place) << 1
                | (read.isReverse ? 1 : 0);
    }

    void addPairedRead(ReadEnd read) {
        long key = key(read);
        pairedReads.add(Partitions.hash(key), key, 0, 0, 0, 0);
    }

    void addUnpaired(ReadEnd read) {
        long key = key(read);
        unpaired.add(Partitions.hash(key), key, tile(read.tile), place(read.x, read.y),
                read.index << 16 | read.score & 0xffffL, 0);
    }

    private static long tile(short tile) {
        return tile - Short.MIN_VALUE;
    }

    private static long place(int x, int y) {
        if (Math.max(Math.abs((long) x), Math.abs((long) y)) >= MAX_COORDINATE) {
            throw new Unsuitable("a coordinate on the flow cell above a billion");
        }
        return (long) x << 32 | (y ^ 1 << 31) & 0xffffffffL;
    }

    /** Makes a pair's object again, with what finding optical duplicates needs. */
    static ReadEndsForMarkDuplicates pair(long[] rows, int row) {
        ReadEndsForMarkDuplicates pair = new ReadEndsForMarkDuplicates();
        int at = row * PAIR_WORDS;
        pair.libraryId = (short) (rows[at] >>> Genome.PLACE_BITS + 3);
        pair.orientation = (byte) (rows[at] & 7);
        pair.setTile((short) ((rows[at + 1] & 0xffff) + Short.MIN_VALUE));
        pair.setX((int) (rows[at + 2] >> 32));
        pair.setY((int) rows[at + 2] ^ 1 << 31);
        pair.read1IndexInFile = rows[at + 3] >>> 24;
        pair.score = (short) (rows[at + 3] >> 8);
        pair.orientationForOpticalDuplicates = (byte) rows[at + 3];
        pair.read2IndexInFile = rows[at + 4] >>> 16;
        pair.readGroup = (short) rows[at + 4];
        return pair;
    }

    /** Moves everything to files if the memory is full. */
    void spillIfFull() {
        if (pairs.words() + unpaired.words() + pairedReads.words() > maxWords) {
            try {
                pairs.spill(folder);
                unpaired.spill(folder);
                pairedReads.spill(folder);
            } catch (IOException e) {
                throw new Unsuitable("an error with a temporary file: " + e.getMessage());
            }
        }
    }

    @Override
    public void close() throws IOException {
        pairs.close();
        unpaired.close();
        pairedReads.close();
    }
}
