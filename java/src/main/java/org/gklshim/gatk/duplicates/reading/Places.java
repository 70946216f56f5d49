package org.gklshim.gatk.duplicates.reading;

import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMSequenceRecord;
import java.util.List;
import org.gklshim.gatk.duplicates.UnsuitableException;

/** The sequences of a header, one after the other, so that a number of 44 bits is a place. */
public final class Places {
    public static final int PLACE_BITS = 44;
    /** How far a clipped read may reach beyond an end of its sequence. */
    public static final int MARGIN = 1 << 20;
    /** The longest sequence that an index of type BAI is for. */
    private static final int MAX_LENGTH = 1 << 29;

    public final int[] lengths;
    public final String[] names;
    private final long[] offsets;

    /** Takes the sequences of a header. Throws {@link UnsuitableException} if they are too long. */
    public Places(SAMFileHeader header) {
        List<SAMSequenceRecord> sequences = header.getSequenceDictionary().getSequences();
        lengths = new int[sequences.size()];
        names = new String[lengths.length];
        offsets = new long[lengths.length];
        long offset = 0;
        for (int k = 0; k < lengths.length; k++) {
            lengths[k] = sequences.get(k).getSequenceLength();
            names[k] = sequences.get(k).getSequenceName();
            if (lengths[k] > MAX_LENGTH) {
                throw new UnsuitableException("a sequence of more than 512 Mb");
            }
            offsets[k] = offset + MARGIN;
            offset += lengths[k] + 2L * MARGIN;
        }
        if (offset >= 1L << PLACE_BITS) {
            throw new UnsuitableException("the number of sequences");
        }
    }

    /**
     * Returns the place of a coordinate.
     *
     * @throws UnsuitableException if it is too far outside of its sequence
     */
    public long place(int sequence, int coordinate) {
        if (coordinate < -MARGIN || coordinate >= lengths[sequence] + MARGIN) {
            throw new UnsuitableException("a read that is clipped by more than a million bases");
        }
        return offsets[sequence] + coordinate;
    }

    /** Returns the coordinate on its sequence that a place has. */
    public int coordinate(int sequence, long place) {
        return (int) (place - offsets[sequence]);
    }
}
