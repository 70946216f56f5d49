package org.gklshim.gatk.recalibration;

import static org.gklshim.gatk.records.BamFormat.DELETION;
import static org.gklshim.gatk.records.BamFormat.DIFFERENT;
import static org.gklshim.gatk.records.BamFormat.EQUAL;
import static org.gklshim.gatk.records.BamFormat.HARD_CLIP;
import static org.gklshim.gatk.records.BamFormat.INSERTION;
import static org.gklshim.gatk.records.BamFormat.MATCH;
import static org.gklshim.gatk.records.BamFormat.SOFT_CLIP;
import static org.gklshim.gatk.records.BamFormat.UNMAPPED;

import htsjdk.samtools.CigarElement;
import htsjdk.samtools.CigarOperator;
import htsjdk.samtools.SAMRecord;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.broadinstitute.hellbender.utils.read.GATKRead;
import org.broadinstitute.hellbender.utils.read.SAMRecordToGATKReadAdapter;
import org.gklshim.gatk.records.LittleEndian;
import org.gklshim.gatk.records.Tags;

/**
 * A read in arrays, which are used again for the next read.
 *
 * <p>A record that comes from a BAM file keeps its bytes until somebody changes it. They are read
 * as the SAM specification (section 4.2) describes, so the record decodes nothing. Other records
 * are asked for their fields.
 */
final class ReadArrays {
    /** The letters of the lowest and of the highest quality. */
    static final int FIRST_QUALITY = 33;
    private static final int LAST_QUALITY = 126;

    private static final int OQ = Tags.name('O', 'Q');
    private static final int RG = Tags.name('R', 'G');

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
    /** The record's bytes; null if it does not come from a BAM file. */
    byte[] bytes;
    /** Where the tags are in the bytes, behind the record's qualities. */
    int tagsStart;
    final Tags tags = new Tags();
    /** The bases, as {@link BaseCodes}. */
    byte[] codes = new byte[0];
    /** Holds the qualities that count from {@link #qualitiesStart} on. */
    byte[] qualities;
    int qualitiesStart;
    /** The operators of the CIGAR, and their lengths. */
    int[] operators = new int[16];
    int[] lengths = new int[16];
    int elements;
    /** The number of the read group in the header. */
    int readGroup;

    private final ReadHeader header;
    private final boolean usesOriginal;
    private byte[] original = new byte[0];

    /**
     * Creates arrays without a read.
     *
     * @param usesOriginal whether the qualities in the tag OQ count, if a read has them
     */
    ReadArrays(ReadHeader header, boolean usesOriginal) {
        this.header = header;
        this.usesOriginal = usesOriginal;
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

    /** Returns whether GATK's tables have the qualities of a part, and one is above the tail's. */
    boolean hasPlainQualities(int from, int to, int tailQuality) {
        int highest = 0;
        int all = 0;
        for (int k = from; k < to; k++) {
            int quality = qualities[qualitiesStart + k];
            highest = Math.max(highest, quality);
            all |= quality;
        }
        return all >= 0 && highest <= CovariateCounts.MAX_QUALITY && highest > tailQuality;
    }

    boolean has(int flag) {
        return (flags & flag) != 0;
    }

    /**
     * Takes a read. Returns false if anything about it is unusual: if its length is not that of its
     * CIGAR, it has no qualities, the header does not have its position or its read group, it has
     * an operator N or P, tags that cannot be read without doubt, or original qualities that are
     * not one for each base. An unmapped read has no CIGAR.
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
        bytes = record.getVariableBinaryRepresentation();
        return (bytes == null ? takeFields(record) : takeBytes(record, bytes))
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
        return takeTags(data);
    }

    /**
     * Takes the read group, and the original qualities if they count. Returns false if a tag is
     * unusual: of two tags of one name, htsjdk may forget other tags.
     */
    private boolean takeTags(byte[] data) {
        if (!tags.parse(data, tagsStart, data.length)) {
            return false;
        }
        int group = tags.find(RG);
        int text = usesOriginal ? tags.find(OQ) : -1;
        if (group < 0 || !isText(data, group) || text >= 0 && !isText(data, text)) {
            return false;
        }
        readGroup = header.readGroup(data, tags.starts[group] + 1, tags.ends[group] - 1);
        return text < 0 || takeOriginal(data, tags.starts[text] + 1, tags.ends[text] - 1);
    }

    private boolean isText(byte[] data, int tag) {
        return data[tags.starts[tag]] == 'Z';
    }

    /**
     * Takes the text of original qualities. An empty one does not count. Returns false if it is not
     * one letter for each base, or a letter stands for no quality.
     */
    private boolean takeOriginal(byte[] text, int from, int to) {
        if (from == to) {
            return true;
        }
        if (to - from != length) {
            return false;
        }
        if (original.length < length) {
            original = new byte[length];
        }
        for (int k = 0; k < length; k++) {
            int letter = text[from + k];
            if (letter < FIRST_QUALITY || letter > LAST_QUALITY) {
                return false;
            }
            original[k] = (byte) (letter - FIRST_QUALITY);
        }
        qualities = original;
        qualitiesStart = 0;
        return true;
    }

    private boolean takeFields(SAMRecord record) {
        byte[] bases = record.getReadBases();
        qualities = record.getBaseQualities();
        qualitiesStart = 0;
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
        Object found = usesOriginal ? record.getAttribute("OQ") : null;
        if (found instanceof String) {
            byte[] text = ((String) found).getBytes(StandardCharsets.ISO_8859_1);
            return takeOriginal(text, 0, text.length);
        }
        return found == null;
    }

    private void setElements(int count) {
        elements = count;
        if (operators.length < count) {
            operators = new int[2 * count];
            lengths = new int[2 * count];
        }
    }

    /** Returns the read's length by its CIGAR, or -1 if this has an operator N or P. */
    private long readLengthOfCigar() {
        long sum = 0;
        for (int k = 0; k < elements; k++) {
            switch (operators[k]) {
                case MATCH: case EQUAL: case DIFFERENT: case INSERTION: case SOFT_CLIP:
                    sum += lengths[k];
                    break;
                case DELETION: case HARD_CLIP:
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
            end += isAligned(operators[k]) || operators[k] == DELETION ? lengths[k] : 0;
        }
        return end;
    }

    static boolean isAligned(int operator) {
        return operator == MATCH || operator == EQUAL || operator == DIFFERENT;
    }
}
