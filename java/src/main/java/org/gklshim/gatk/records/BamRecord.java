package org.gklshim.gatk.records;

import static org.gklshim.gatk.records.BamFormat.DELETION;
import static org.gklshim.gatk.records.BamFormat.DIFFERENT;
import static org.gklshim.gatk.records.BamFormat.EQUAL;
import static org.gklshim.gatk.records.BamFormat.HARD_CLIP;
import static org.gklshim.gatk.records.BamFormat.INSERTION;
import static org.gklshim.gatk.records.BamFormat.MATCH;
import static org.gklshim.gatk.records.BamFormat.MATE_REVERSE;
import static org.gklshim.gatk.records.BamFormat.MATE_UNMAPPED;
import static org.gklshim.gatk.records.BamFormat.PAIRED;
import static org.gklshim.gatk.records.BamFormat.REVERSE;
import static org.gklshim.gatk.records.BamFormat.SKIP;
import static org.gklshim.gatk.records.BamFormat.SOFT_CLIP;
import static org.gklshim.gatk.records.BamFormat.UNMAPPED;

import htsjdk.samtools.DefaultSAMRecordFactory;
import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMRecord;
import java.util.Arrays;

/**
 * The fields of a BAM record that is held as bytes. {@link #parse} also tells whether the record is
 * a usual one, of which all that is said here is true. The others are left to htsjdk and GATK.
 *
 * <p>The format is section 4.2 of the SAM specification.
 */
public final class BamRecord {
    /** The longest sequence that the bins of an index can hold. */
    static final int MAX_SEQUENCE = 1 << 29;
    /** Holds the record from {@link #start}, where its size is, to {@link #end}. */
    public byte[] bytes;
    public int start;
    public int end;
    public int reference;
    /** From 1. 0 if there is none. */
    public int position;
    public int mappingQuality;
    public int flags;
    public int length;
    private int nameLength;
    int mateReference;
    /** From 1. 0 if there is none. */
    int matePosition;
    int insertSize;
    private int cigarStart;
    private int cigarCount;
    public int basesStart;
    public int qualitiesStart;
    public int tagsStart;
    /** How many bases of the reference the alignment covers. */
    public int span;
    /** How many bases of the read the alignment has. */
    long alignedLength;
    /** Whether the alignment skips a part of the reference. */
    boolean hasSkip;
    /**
     * Whether the alignment is good in any case for GATK: htsjdk finds no fault in it, matches are
     * next to clips and all else, and no neighbours could be one element.
     */
    boolean isCigarGood;
    /** Where the value of the read group is; -1 if there is none. See {@link #findReadGroup}. */
    public int groupStart;
    public int groupEnd;
    private boolean isGroupSought;
    private boolean areTagsUsual;

    /** The tags, after {@link #parseTags}. */
    public final Tags tags = new Tags();
    private final int[] sequenceLengths;

    /** @param sequenceLengths the lengths of the sequences of the header */
    public BamRecord(int[] sequenceLengths) {
        this.sequenceLengths = sequenceLengths;
    }

    /**
     * Reads a record. Returns whether it is a usual one. If not, fields may be wrong.
     *
     * @param offset where the size of the record is
     * @param limit where the record ends
     */
    public boolean parse(byte[] from, int offset, int limit) {
        bytes = from;
        start = offset;
        end = limit;
        reference = integer(offset + 4);
        position = integer(offset + 8) + 1;
        nameLength = bytes[offset + 12] & 0xff;
        mappingQuality = bytes[offset + 13] & 0xff;
        cigarCount = LittleEndian.unsignedShort(bytes, offset + 16);
        flags = LittleEndian.unsignedShort(bytes, offset + 18);
        length = integer(offset + 20);
        mateReference = integer(offset + 24);
        matePosition = integer(offset + 28) + 1;
        insertSize = integer(offset + 32);
        cigarStart = offset + BamFormat.FIXED_SIZE + nameLength;
        basesStart = cigarStart + 4 * cigarCount;
        if (nameLength == 0 || length < 0 || length > end - start || basesStart > end) {
            return false;
        }
        qualitiesStart = basesStart + (length + 1) / 2;
        tagsStart = qualitiesStart + length;
        isGroupSought = false;
        return tagsStart <= end && bytes[cigarStart - 1] == 0
                && mateReference >= -1 && mateReference < sequenceLengths.length
                && isCigarUsual() && isPlaceUsual();
    }

    private boolean isPlaceUsual() {
        if (reference == -1) {
            return position == 0;
        }
        if (reference < 0 || reference >= sequenceLengths.length) {
            return false;
        }
        int sequenceLength = sequenceLengths[reference];
        return sequenceLength <= MAX_SEQUENCE && position >= 1 && position <= sequenceLength
                && (has(UNMAPPED) || (long) position + span - 1 <= sequenceLength);
    }

    private boolean isCigarUsual() {
        long covered = 0;
        alignedLength = 0;
        // How many bases are clipped at the start and at the end, soft or hard.
        int clippedStart = 0;
        int clippedEnd = 0;
        hasSkip = false;
        // Clips are at the ends, and no two insertions or deletions are neighbours.
        boolean isValid = true;
        isCigarGood = true;
        int before = -1;
        boolean isAligned = false;
        for (int k = 0; k < cigarCount; k++) {
            int element = integer(cigarStart + 4 * k);
            int size = element >>> 4;
            int operator = element & 0xf;
            if (!isKnown(operator)) {
                return false;
            }
            covered += consumesReference(operator) ? size : 0;
            alignedLength += consumesRead(operator) ? size : 0;
            isValid &= size > 0;
            if (isClip(operator)) {
                clippedStart += isAligned ? 0 : size;
                clippedEnd += isAligned ? size : 0;
                isValid &= operator == SOFT_CLIP ? before != SOFT_CLIP
                        : k == 0 || k == cigarCount - 1 && isAligned;
                isCigarGood &= !isAligned || isMatch(before) || before == SOFT_CLIP;
            } else {
                isAligned = true;
                hasSkip |= operator == SKIP;
                isValid &= clippedEnd == 0 && !(isIndel(operator) && isIndel(before));
                isCigarGood &= operator != before
                        && (isMatch(operator) || isIndel(operator) && isMatch(before));
            }
            before = operator;
        }
        isValid &= isAligned;
        isCigarGood &= isValid && covered > 0 && (isMatch(before) || clippedEnd > 0);
        span = (int) covered;
        // The long CIGAR of a read with more than 65,535 elements is in a tag.
        boolean isInTag = cigarCount == 2 && before == SKIP && isClip(integer(cigarStart) & 0xf)
                && (length == 0 || clippedStart == length);
        return covered <= MAX_SEQUENCE && !isInTag;
    }

    private static boolean isKnown(int operator) {
        return isClip(operator) || consumesRead(operator) || consumesReference(operator);
    }

    private static boolean isClip(int operator) {
        return operator == SOFT_CLIP || operator == HARD_CLIP;
    }

    private static boolean isIndel(int operator) {
        return operator == INSERTION || operator == DELETION;
    }

    public static boolean isMatch(int operator) {
        return operator == MATCH || operator == EQUAL || operator == DIFFERENT;
    }

    /** Returns whether the record has any of these flags. */
    public boolean has(int flag) {
        return (flags & flag) != 0;
    }

    /** Returns whether GATK takes the read as unmapped. */
    public boolean isUnmapped() {
        return has(UNMAPPED) || reference == -1;
    }

    /** Returns whether GATK takes the mate of a paired read as unmapped. */
    boolean isMateUnmapped() {
        return has(MATE_UNMAPPED) || mateReference == -1 || matePosition == 0;
    }

    /** Returns the last position of the alignment as htsjdk has it: 0 if there is none. */
    public int lastPosition() {
        return has(UNMAPPED) ? 0 : position + span - 1;
    }

    /** Returns whether there are qualities. If not, the first one is 255. */
    public boolean hasQualities() {
        return length > 0 && bytes[qualitiesStart] != (byte) 0xff;
    }

    /** Returns whether the read is mapped, and each base of its alignment has a quality. */
    public boolean isAligned() {
        return !isUnmapped() && isCigarGood && alignedLength == length && hasQualities();
    }

    /** Returns whether the CIGAR has the read's length, and no skip; an unmapped read has none. */
    public boolean hasPlainLength() {
        return has(UNMAPPED) ? cigarCount == 0
                : reference >= 0 && !hasSkip && alignedLength == length;
    }

    /** Returns whether the tags can be read without doubt, and finds the read group. */
    public boolean findReadGroup() {
        if (!isGroupSought) {
            areTagsUsual = seekReadGroup();
            isGroupSought = true;
        }
        return areTagsUsual;
    }

    /** Reads the tags. Returns whether all are usual. */
    public boolean parseTags() {
        return tags.parse(bytes, tagsStart, end);
    }

    private boolean seekReadGroup() {
        groupStart = -1;
        // Of two tags of one name, htsjdk may forget other tags.
        if (!parseTags()) {
            return false;
        }
        int tag = tags.find(Tags.RG);
        if (tag < 0) {
            return true;
        }
        groupStart = tags.starts[tag] + 1;
        groupEnd = tags.ends[tag] - 1;
        return bytes[tags.starts[tag]] == 'Z';
    }

    /** Returns whether the record has a read group, and its name is one of these, in ASCII. */
    public boolean hasReadGroup(byte[]... names) {
        if (findReadGroup() && groupStart >= 0) {
            for (byte[] name : names) {
                if (isReadGroup(name)) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean isReadGroup(byte[] name) {
        if (name.length != groupEnd - groupStart) {
            return false;
        }
        for (int k = 0; k < name.length; k++) {
            if (name[k] != bytes[groupStart + k]) {
                return false;
            }
        }
        return true;
    }

    /** Returns where the adaptor begins, or Adaptor.NONE: ReadUtils.getAdaptorBoundary(). */
    public int adaptorBoundary() {
        boolean isReverse = has(REVERSE);
        if (insertSize == 0 || !has(PAIRED) || isMateUnmapped() || isReverse == has(MATE_REVERSE)
                || (isReverse ? lastPosition() <= matePosition
                        : position > matePosition + insertSize)) {
            return Adaptor.NONE;
        }
        return isReverse ? matePosition - 1 : position + Math.abs(insertSize);
    }

    /** Returns the first position of an alignment that is not in an adaptor for GATK. */
    public int firstOutsideAdaptor() {
        return Adaptor.first(position, adaptorBoundary(), insertSize, has(REVERSE));
    }

    /** Returns the last position of an alignment that is not in an adaptor for GATK. */
    public int lastOutsideAdaptor() {
        return Adaptor.last(lastPosition(), adaptorBoundary(), insertSize, has(REVERSE));
    }

    /** Returns how many elements the CIGAR has. */
    public int elements() {
        return cigarCount;
    }

    /** Returns an element of the CIGAR: four bits of its operator, and above them its length. */
    public int element(int number) {
        return integer(cigarStart + 4 * number);
    }

    public static boolean consumesRead(int operator) {
        return operator == INSERTION || operator == SOFT_CLIP || isMatch(operator);
    }

    public static boolean consumesReference(int operator) {
        return operator == DELETION || operator == SKIP || isMatch(operator);
    }

    /** Returns the four bits of a base: 1, 2, 4 and 8 are A, C, G and T. */
    public int base(int number) {
        int pair = bytes[basesStart + (number >> 1)];
        return (number & 1) == 0 ? pair >> 4 & 0xf : pair & 0xf;
    }

    /** Returns the number of the bin, as htsjdk computes it when it writes the record. */
    public int bin() {
        if (position == 0) {
            return 0;
        }
        // A read without an end counts as one base.
        int last = lastPosition() <= 0 ? position : lastPosition();
        return BamFormat.bin(position - 1, last - 1);
    }

    /** Returns htsjdk's form of the record, which decodes the rest when somebody asks for it. */
    public SAMRecord object(SAMFileHeader header, DefaultSAMRecordFactory factory) {
        return object(header, factory, LittleEndian.unsignedShort(bytes, start + BamFormat.BIN),
                Arrays.copyOfRange(bytes, start + BamFormat.FIXED_SIZE, end));
    }

    /** Does the same with another bin, and other bytes from the record's name on. */
    public SAMRecord object(SAMFileHeader header, DefaultSAMRecordFactory factory, int bin,
            byte[] rest) {
        return factory.createBAMRecord(header, reference, position, (short) nameLength,
                (short) mappingQuality, bin, cigarCount, flags, length, mateReference,
                matePosition, insertSize, rest);
    }

    private int integer(int offset) {
        return LittleEndian.integer(bytes, offset);
    }
}
