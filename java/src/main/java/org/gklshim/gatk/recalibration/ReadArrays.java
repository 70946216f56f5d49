package org.gklshim.gatk.recalibration;

import htsjdk.samtools.CigarElement;
import htsjdk.samtools.CigarOperator;
import htsjdk.samtools.SAMRecord;
import java.util.Arrays;
import java.util.List;
import org.broadinstitute.hellbender.utils.read.GATKRead;
import org.broadinstitute.hellbender.utils.read.SAMRecordToGATKReadAdapter;
import org.gklshim.gatk.records.LittleEndian;

/**
 * A read in arrays, which are used again for the next read.
 *
 * <p>A record that comes from a BAM file keeps its bytes until somebody changes it. They are read
 * as the SAM specification (section 4.2) describes, so the record decodes nothing. Other records
 * are asked for their fields.
 */
final class ReadArrays {
    static final int PAIRED = 0x1;
    static final int UNMAPPED = 0x4;
    static final int MATE_UNMAPPED = 0x8;
    static final int REVERSE = 0x10;
    static final int MATE_REVERSE = 0x20;
    static final int SECOND = 0x80;

    /** The operators of a CIGAR, by their number in a BAM file. */
    static final int M = 0;
    static final int I = 1;
    static final int D = 2;
    static final int S = 4;
    static final int H = 5;
    static final int EQ = 7;
    static final int X = 8;

    /** The codes of two bases, for a byte of a BAM file. */
    private static final byte[] FIRST = new byte[256];
    private static final byte[] SECOND_OF_BYTE = new byte[256];

    static {
        byte[] codes = new byte[16];
        Arrays.fill(codes, BaseCodes.OTHER);
        codes[1] = 0;
        codes[2] = 1;
        codes[4] = 2;
        codes[8] = 3;
        for (int k = 0; k < 256; k++) {
            FIRST[k] = codes[k >> 4];
            SECOND_OF_BYTE[k] = codes[k & 15];
        }
    }

    int flags;
    int mappingQuality;
    int contig;
    int start;
    int mateContig;
    int mateStart;
    int insertSize;
    int length;
    /** The bases, as {@link BaseCodes}. */
    byte[] codes = new byte[0];
    /** Holds the qualities from {@link #qualitiesStart} on. */
    byte[] qualities;
    int qualitiesStart;
    /** Where the tags are after the qualities; -1 if these are not in a record's bytes. */
    int tagsStart;
    /** The operators of the CIGAR, and their lengths. */
    int[] operators = new int[16];
    int[] lengths = new int[16];
    int elements;
    /** The number of the read group in the header. */
    int readGroup;

    private final ReadHeader header;

    ReadArrays(ReadHeader header) {
        this.header = header;
    }

    /** Returns a read's record, or null if it is not kept in one. */
    static SAMRecord record(GATKRead read) {
        return read instanceof SAMRecordToGATKReadAdapter
                ? ((SAMRecordToGATKReadAdapter) read).getEncapsulatedSamRecord() : null;
    }

    /** Returns a read's length, without decoding the bases. */
    static int length(GATKRead read) {
        SAMRecord record = record(read);
        return record == null ? read.getLength() : record.getReadLength();
    }

    boolean has(int flag) {
        return (flags & flag) != 0;
    }

    /**
     * Takes a read. Returns false if anything about it is unusual: if its length is not that of its
     * CIGAR, it has no qualities, the header does not have its position or its read group, it has
     * another operator than the above, or tags that cannot be read without doubt. An unmapped read
     * has no CIGAR.
     */
    boolean take(SAMRecord record) {
        flags = record.getFlags();
        mappingQuality = record.getMappingQuality();
        contig = record.getReferenceIndex();
        start = record.getAlignmentStart();
        mateContig = record.getMateReferenceIndex();
        mateStart = record.getMateAlignmentStart();
        insertSize = record.getInferredInsertSize();
        length = record.getReadLength();
        if (length == 0 || !has(UNMAPPED) && !header.has(contig, start)) {
            return false;
        }
        if (codes.length < length) {
            codes = new byte[length];
        }
        byte[] data = record.getVariableBinaryRepresentation();
        return (data == null ? takeFields(record) : takeBytes(record, data))
                && readGroup >= 0
                && (has(UNMAPPED) ? elements == 0 : readLengthOfCigar() == length);
    }

    private boolean takeBytes(SAMRecord record, byte[] data) {
        int cigar = record.getReadNameLength() + 1;
        setElements(record.getCigarLength());
        int bases = cigar + 4 * elements;
        qualitiesStart = bases + (length + 1) / 2;
        tagsStart = qualitiesStart + length;
        if (tagsStart > data.length || data[qualitiesStart] == (byte) 0xff) {
            return false;
        }
        for (int k = 0; k < elements; k++) {
            int element = LittleEndian.integer(data, cigar + 4 * k);
            operators[k] = element & 15;
            lengths[k] = element >>> 4;
        }
        for (int k = 0; k + 1 < length; k += 2) {
            int pair = data[bases + (k >> 1)] & 0xff;
            codes[k] = FIRST[pair];
            codes[k + 1] = SECOND_OF_BYTE[pair];
        }
        if ((length & 1) != 0) {
            codes[length - 1] = FIRST[data[bases + (length >> 1)] & 0xff];
        }
        qualities = data;
        readGroup = header.readGroup(data, tagsStart);
        return true;
    }

    private boolean takeFields(SAMRecord record) {
        byte[] bases = record.getReadBases();
        qualities = record.getBaseQualities();
        qualitiesStart = 0;
        tagsStart = -1;
        if (bases.length != length || qualities.length != length) {
            return false;
        }
        for (int k = 0; k < length; k++) {
            if (bases[k] == '*') {
                // GATK takes it as A on both strands.
                return false;
            }
            codes[k] = BaseCodes.of(bases[k]);
        }
        List<CigarElement> cigar = record.getCigar().getCigarElements();
        setElements(cigar.size());
        for (int k = 0; k < elements; k++) {
            operators[k] = CigarOperator.enumToBinary(cigar.get(k).getOperator());
            lengths[k] = cigar.get(k).getLength();
        }
        readGroup = header.readGroup(record.getStringAttribute("RG"));
        return true;
    }

    private void setElements(int count) {
        elements = count;
        if (operators.length < count) {
            operators = new int[2 * count];
            lengths = new int[2 * count];
        }
    }

    /** Returns the read's length by its CIGAR, or -1 if it has another operator than the above. */
    private long readLengthOfCigar() {
        long sum = 0;
        for (int k = 0; k < elements; k++) {
            switch (operators[k]) {
                case M: case I: case S: case EQ: case X:
                    sum += lengths[k];
                    break;
                case D: case H:
                    break;
                default:
                    return -1;
            }
        }
        return sum;
    }

    /** Returns the read's last position by its CIGAR. */
    long end() {
        long end = start - 1L;
        for (int k = 0; k < elements; k++) {
            end += isAligned(operators[k]) || operators[k] == D ? lengths[k] : 0;
        }
        return end;
    }

    static boolean isAligned(int operator) {
        return operator == M || operator == EQ || operator == X;
    }
}
