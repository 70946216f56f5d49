package org.gklshim.gatk.duplicates.finding;

import org.gklshim.gatk.duplicates.reading.Genome;
import picard.sam.markduplicates.util.ReadEndsForMarkDuplicates;

/** What duplicate marking knows of a mapped read. An object is used again for the next read. */
final class ReadEnd {
    /** How many words hold a read. */
    static final int WORDS = 4;

    private static final byte PICARDS_FORWARD = 0;
    private static final byte PICARDS_REVERSE = 1;

    /** It is not among the words. */
    int sequence;
    /** The 5' end, as a place of the {@link Genome}. Clipped bases count as aligned. */
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

    void write(long[] words, int at) {
        words[at] = index << 16 | score & 0xffffL;
        words[at + 1] = place << 1 | (isReverse ? 1 : 0);
        words[at + 2] = (long) x << 32 | y & 0xffffffffL;
        words[at + 3] = (long) library << 48 | (group & 0xffffL) << 32 | tile & 0xffffL;
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
    }

    void read(ReadEndsForMarkDuplicates from, Genome genome) {
        sequence = from.read1ReferenceIndex;
        place = genome.place(sequence, from.read1Coordinate);
        isReverse = from.orientation == PICARDS_REVERSE;
        mateSequence = from.read2ReferenceIndex;
        index = from.read1IndexInFile;
        score = from.score;
        library = from.libraryId;
        group = from.readGroup;
        readLocation(from);
    }

    /** Takes only the place on the flow cell. */
    void readLocation(ReadEndsForMarkDuplicates from) {
        tile = from.getTile();
        x = from.getX();
        y = from.getY();
    }

    ReadEndsForMarkDuplicates toPicard(Genome genome) {
        ReadEndsForMarkDuplicates to = new ReadEndsForMarkDuplicates();
        to.read1ReferenceIndex = sequence;
        to.read1Coordinate = genome.coordinate(sequence, place);
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
