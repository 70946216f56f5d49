package org.gklshim.gatk.duplicates.finding;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import org.gklshim.gatk.duplicates.UnsuitableException;
import org.gklshim.gatk.duplicates.reading.Places;
import picard.sam.markduplicates.util.ReadEndsForMarkDuplicates;

/**
 * The ends of reads, in few words each. Equal ends are in one partition. What does not fit into the
 * given memory goes to temporary files.
 */
final class DuplicateCandidates implements Closeable {
    private static final int BARCODE_WORDS = 2;
    private static final int PAIR_WORDS = 5;
    private static final int UNPAIRED_WORDS = 4;
    /** Larger coordinates would overflow in Picard's comparisons. */
    private static final int MAX_COORDINATE = 1 << 30;

    /** The barcodes, the library, both places, the orientation; then what breaks ties, the rest. */
    final Partitions pairs;
    /** The same for reads without a mapped mate. */
    final Partitions unpaired;
    /** The barcodes and places of reads of pairs. */
    final Partitions pairedReads;
    /** How many words of a row are the barcodes and the place of a read. */
    final int keyWords;

    /** How many words of a row are the barcodes. */
    private final int barcodeWords;
    private final long maxWords;
    private final File folder;
    private final long[] row = new long[BARCODE_WORDS + PAIR_WORDS];

    DuplicateCandidates(long maxBytes, File folder, boolean hasBarcodes) {
        maxWords = maxBytes / 8;
        this.folder = folder;
        barcodeWords = hasBarcodes ? BARCODE_WORDS : 0;
        keyWords = barcodeWords + 1;
        pairs = new Partitions(barcodeWords + PAIR_WORDS);
        unpaired = new Partitions(barcodeWords + UNPAIRED_WORDS);
        pairedReads = new Partitions(keyWords);
    }

    /**
     * Adds a pair.
     *
     * @param left the end that comes first on the genome
     * @param located the end that has the place on the flow cell, the read group and the barcodes
     */
    void addPair(ReadEnd left, ReadEnd right, ReadEnd located, byte orientation,
            byte opticalOrientation) {
        setBarcodes(located);
        long score = left.score + right.score & 0xffffL;
        int at = barcodeWords;
        row[at] = ((long) located.library << Places.PLACE_BITS | left.place) << 3 | orientation;
        row[at + 1] = right.place << 16 | tile(located.tile);
        row[at + 2] = place(located.x, located.y);
        row[at + 3] = left.index << 24 | score << 8 | opticalOrientation;
        row[at + 4] = right.index << 16 | located.group & 0xffffL;
        pairs.add(pairHash(row, 0), row);
    }

    private void setBarcodes(ReadEnd read) {
        if (barcodeWords > 0) {
            row[0] = read.barcode;
            row[1] = (long) read.firstBarcode << 32 | read.secondBarcode & 0xffffffffL;
        }
    }

    /** Returns the hash of what a pair has in common with its duplicates. */
    long pairHash(long[] words, int at) {
        return Partitions.hash(Partitions.hash(words, at, at + keyWords)
                + (words[at + keyWords] >>> 16));
    }

    /** Returns whether two pairs are duplicates. */
    boolean isSameSet(long[] words, int a, int b) {
        for (int k = 0; k < keyWords; k++) {
            if (words[a + k] != words[b + k]) {
                return false;
            }
        }
        return words[a + keyWords] >>> 16 == words[b + keyWords] >>> 16;
    }

    /** Sets what a single read has in common with its duplicates, and returns its hash. */
    private long setKey(ReadEnd read) {
        setBarcodes(read);
        row[barcodeWords] = ((long) read.library << Places.PLACE_BITS | read.place) << 1
                | (read.isReverse ? 1 : 0);
        return Partitions.hash(row, 0, keyWords);
    }

    void addPairedRead(ReadEnd read) {
        pairedReads.add(setKey(read), row);
    }

    void addUnpaired(ReadEnd read) {
        long hash = setKey(read);
        row[keyWords] = tile(read.tile);
        row[keyWords + 1] = place(read.x, read.y);
        row[keyWords + 2] = read.index << 16 | read.score & 0xffffL;
        unpaired.add(hash, row);
    }

    /** Returns the place in the file of a single read in a row of its partition. */
    long unpairedIndex(long[] words, int at) {
        return words[at + keyWords + 2] >>> 16;
    }

    short unpairedScore(long[] words, int at) {
        return (short) words[at + keyWords + 2];
    }

    private static long tile(short tile) {
        return tile - Short.MIN_VALUE;
    }

    private static long place(int x, int y) {
        if (Math.max(Math.abs((long) x), Math.abs((long) y)) >= MAX_COORDINATE) {
            throw new UnsuitableException("a coordinate on the flow cell above a billion");
        }
        return (long) x << 32 | (y ^ 1 << 31) & 0xffffffffL;
    }

    /** Makes a pair's object again, with what finding optical duplicates needs. */
    ReadEndsForMarkDuplicates pair(long[] rows, int start) {
        ReadEndsForMarkDuplicates pair = new ReadEndsForMarkDuplicates();
        int at = start + barcodeWords;
        pair.libraryId = (short) (rows[at] >>> Places.PLACE_BITS + 3);
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
                throw new UnsuitableException("an error with a temporary file: " + e.getMessage());
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
