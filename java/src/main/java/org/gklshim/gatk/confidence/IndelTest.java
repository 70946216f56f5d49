package org.gklshim.gatk.confidence;

import htsjdk.samtools.CigarOperator;
import java.util.BitSet;
import org.apache.commons.lang3.tuple.Pair;
import org.broadinstitute.hellbender.utils.Nucleotide;
import org.broadinstitute.hellbender.utils.read.AlignmentUtils;
import org.gklshim.gatk.AlignedRead;

/**
 * The test which bases of a read rule out an indel. A base does not if the rest of the read fits
 * the reference as well with a short insertion or deletion in front of the base: if the qualities
 * of its mismatches have no larger sum.
 *
 * <p>All is counted in columns: the bases of the read without insertions, and with gaps for
 * deletions. GATK looks at all columns from the first one that it needs to the read's end, and so
 * does this class.
 */
final class IndelTest {
    private static final byte GAP = '-';
    /** The bases that a letter can stand for. Letters match if they have one in common. */
    private static final byte[] MEANINGS = new byte[256];

    static {
        for (int letter = 0; letter < MEANINGS.length; letter++) {
            for (int k = 0; k < 4; k++) {
                if (Nucleotide.intersect((byte) letter, (byte) "ACGT".charAt(k))) {
                    MEANINGS[letter] |= 1 << k;
                }
            }
        }
    }

    private final byte[] reference;
    private final int maxSize;

    private AlignedRead read;
    private byte[] bases;
    private byte[] qualities;
    /** The columns that fit an indel. */
    private final BitSet plausible = new BitSet();
    /** The first column that rules out nothing because too little follows; -1 before the test. */
    private int limit;
    /** The sum of the qualities of mismatches, from a column on. */
    private int[] mismatches = {};

    IndelTest(byte[] reference, int maxSize) {
        this.reference = reference;
        this.maxSize = maxSize;
    }

    /** Begins a read. */
    void begin(AlignedRead next) {
        read = next;
        limit = -1;
    }

    /** Returns whether a read's base rules out an indel. The first column must be asked first. */
    boolean rulesOut(int column, int referenceOffset) {
        if (limit < 0) {
            test(column, referenceOffset);
        }
        return column < limit && !plausible.get(column);
    }

    /** Tests the columns from the first one on. */
    private void test(int first, int referenceFirst) {
        int length = read.read.getLength();
        limit = 0;
        if (length - first < maxSize || reference.length - referenceFirst < maxSize) {
            return;
        }
        setColumns();
        if (bases.length - first <= maxSize) {
            return;
        }
        plausible.clear();
        boolean isBeyondReference = bases.length >= reference.length - referenceFirst + first + 1;
        int end = (isBeyondReference ? reference.length - referenceFirst + first + 1 : bases.length)
                - maxSize;
        // The first column without enough bases of the read after it.
        int readEnd = length - maxSize + 1;
        limit = Math.min(end, readEnd);
        setMismatches(first, referenceFirst);
        for (int size = 1; size <= maxSize; size++) {
            findPlausible(first, referenceFirst, size, 0);
            findPlausible(first, referenceFirst, 0, size);
        }
        if (isBeyondReference && end < readEnd) {
            limit = end - 1;
        }
    }

    private void setColumns() {
        boolean hasIndel = false;
        for (int k = 0; k < read.cigar.size(); k++) {
            CigarOperator operator = read.cigar.get(k).getOperator();
            hasIndel |= operator == CigarOperator.I || operator == CigarOperator.D;
        }
        if (hasIndel) {
            Pair<byte[], byte[]> columns =
                    AlignmentUtils.getBasesAndBaseQualitiesAlignedOneToOne(read.read);
            bases = columns.getLeft();
            qualities = columns.getRight();
        } else {
            bases = read.read.getBasesNoCopy();
            qualities = read.read.getBaseQualitiesNoCopy();
        }
    }

    private void setMismatches(int first, int referenceFirst) {
        int size = Math.min(bases.length - first, reference.length - referenceFirst);
        if (mismatches.length < size) {
            mismatches = new int[size];
        }
        int sum = 0;
        for (int k = size - 1; k >= 0; k--) {
            sum += mismatch(first + k, referenceFirst + k);
            mismatches[k] = sum;
        }
    }

    /** Returns the quality of a base if it does not match, and 0 if it does. */
    private int mismatch(int column, int referenceOffset) {
        byte base = bases[column];
        return (MEANINGS[base & 0xff] & MEANINGS[reference[referenceOffset] & 0xff]) != 0
                || base == GAP ? 0 : qualities[column];
    }

    /** Finds the columns that fit an insertion of the read, or a deletion of the reference. */
    private void findPlausible(int first, int referenceFirst, int insertion, int deletion) {
        int size = Math.min(bases.length - first - insertion,
                reference.length - referenceFirst - deletion);
        int sum = 0;
        for (int k = size - 1; k >= 0; k--) {
            int mismatch = mismatch(first + k + insertion, referenceFirst + k + deletion);
            sum += mismatch;
            if (mismatch != 0 && sum > mismatches[0]) {
                return;
            }
            int column = first + k;
            if (column < limit && mismatches[k] >= sum && bases[column] != GAP) {
                plausible.set(column);
            }
        }
    }
}
