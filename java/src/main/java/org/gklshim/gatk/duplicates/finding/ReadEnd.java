package org.gklshim.gatk.duplicates.finding;

import org.gklshim.gatk.duplicates.reading.Places;
import picard.sam.markduplicates.util.ReadEndsForMarkDuplicates;
import picard.sam.markduplicates.util.ReadEndsForMarkDuplicatesWithBarcodes;

/** What duplicate marking knows of a mapped read. An object is used again for the next read. */
final class ReadEnd {
    /** How many words hold a read. */
    static final int WORDS = 6;

    private static final byte PICARDS_FORWARD = 0;
    private static final byte PICARDS_REVERSE = 1;

    /** It is not among the words. */
    int sequence;
    /** The 5' end, as a place of the {@link Places}. Clipped bases count as aligned. */
    long place;
    boolean isReverse;
    /** The sequence of the mate; -1 if no mate is mapped. It is not among the words. */
    int mateSequence;
    /** The place in the file by which the read is marked. */
    long index;
    short score;
    short library;
    short group;
    short tile;
    int x;
    int y;
    /** Picard's hashes: of the barcode of both mates, and of those of the first and the second. */
    int barcode;
    int firstBarcode;
    int secondBarcode;

    void write(long[] words, int at) {
        words[at] = index << 16 | score & 0xffffL;
        words[at + 1] = place << 1 | (isReverse ? 1 : 0);
        words[at + 2] = (long) x << 32 | y & 0xffffffffL;
        words[at + 3] = (long) library << 48 | (group & 0xffffL) << 32 | tile & 0xffffL;
        words[at + 4] = barcode;
        words[at + 5] = (long) firstBarcode << 32 | secondBarcode & 0xffffffffL;
    }

    void read(long[] words, int at) {
        index = words[at] >> 16;
        score = (short) words[at];
        place = words[at + 1] >> 1;
        isReverse = (words[at + 1] & 1) != 0;
        x = (int) (words[at + 2] >> 32);
        y = (int) words[at + 2];
        library = (short) (words[at + 3] >> 48);
        group = (short) (words[at + 3] >> 32);
        tile = (short) words[at + 3];
        barcode = (int) words[at + 4];
        firstBarcode = (int) (words[at + 5] >> 32);
        secondBarcode = (int) words[at + 5];
    }

    void read(ReadEndsForMarkDuplicates from, Places places) {
        sequence = from.read1ReferenceIndex;
        place = places.place(sequence, from.read1Coordinate);
        isReverse = from.orientation == PICARDS_REVERSE;
        mateSequence = from.read2ReferenceIndex;
        index = from.read1IndexInFile;
        score = from.score;
        library = from.libraryId;
        group = from.readGroup;
        readLocation(from);
        if (from instanceof ReadEndsForMarkDuplicatesWithBarcodes) {
            ReadEndsForMarkDuplicatesWithBarcodes with =
                    (ReadEndsForMarkDuplicatesWithBarcodes) from;
            barcode = with.barcode;
            firstBarcode = with.readOneBarcode;
            secondBarcode = with.readTwoBarcode;
        }
    }

    /** Takes only the place on the flow cell. */
    void readLocation(ReadEndsForMarkDuplicates from) {
        tile = from.getTile();
        x = from.getX();
        y = from.getY();
    }

    ReadEndsForMarkDuplicates toPicard(Places places) {
        ReadEndsForMarkDuplicatesWithBarcodes to = new ReadEndsForMarkDuplicatesWithBarcodes();
        to.barcode = barcode;
        to.readOneBarcode = firstBarcode;
        to.readTwoBarcode = secondBarcode;
        to.read1ReferenceIndex = sequence;
        to.read1Coordinate = places.coordinate(sequence, place);
        to.orientation = isReverse ? PICARDS_REVERSE : PICARDS_FORWARD;
        to.read2ReferenceIndex = mateSequence;
        to.read1IndexInFile = index;
        to.score = score;
        to.libraryId = library;
        to.readGroup = group;
        to.setTile(tile);
        to.setX(x);
        to.setY(y);
        return to;
    }
}
