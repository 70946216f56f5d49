package org.gklshim.gatk.duplicates;

import static org.gklshim.gatk.duplicates.BamRecords.integer;

import java.util.Arrays;

/** The tags of a BAM record, in the order of their names, or those of them that are usual. */
final class Tags {
    static final int RG = tag('R', 'G');
    static final int PG = tag('P', 'G');
    static final int DT = tag('D', 'T');
    /** A long CIGAR. */
    private static final int CG = tag('C', 'G');

    int count;
    /** The names, as in the file: the first letter is the low byte. */
    int[] names = new int[32];
    /** Where the type of each tag is. */
    int[] starts = new int[32];
    int[] ends = new int[32];

    static int tag(char first, char second) {
        return first | second << 8;
    }

    /** Returns the size of an array's element, or 0 if there is no such type. */
    private static int elementSize(byte type) {
        switch (type) {
            case 'c': case 'C': return 1;
            case 's': case 'S': return 2;
            case 'i': case 'I': case 'f': return 4;
            default: return 0;
        }
    }

    /**
     * Finds the tags of a record. Returns whether all are usual: no tag occurs twice, and htsjdk
     * writes each as it is, or as the smallest type of a whole number.
     */
    boolean parse(byte[] bytes, int start, int end) {
        count = 0;
        for (int at = start; at < end;) {
            if (end - at < 4) {
                return false;
            }
            int name = BamRecords.unsignedShort(bytes, at);
            int next = end(bytes, at + 2, end);
            if (next < 0 || next > end || name == CG || (name & 0x8080) != 0) {
                return false;
            }
            if (count == names.length) {
                names = Arrays.copyOf(names, 2 * count);
                starts = Arrays.copyOf(starts, 2 * count);
                ends = Arrays.copyOf(ends, 2 * count);
            }
            int place = count++;
            while (place > 0 && names[place - 1] >= name) {
                if (names[place - 1] == name) {
                    return false;
                }
                names[place] = names[place - 1];
                starts[place] = starts[place - 1];
                ends[place] = ends[place - 1];
                place--;
            }
            names[place] = name;
            starts[place] = at + 2;
            ends[place] = next;
            at = next;
        }
        return true;
    }

    /** Returns where a value ends, or -1. */
    private static int end(byte[] bytes, int type, int limit) {
        switch (bytes[type]) {
            case 'A': case 'c': case 'C':
                return type + 2;
            case 's': case 'S':
                return type + 3;
            case 'i': case 'I':
                return type + 5;
            case 'f':
                if (type + 5 > limit) {
                    return -1;
                }
                // Not a number may get other bits.
                return Float.isNaN(Float.intBitsToFloat(integer(bytes, type + 1)))
                        ? -1 : type + 5;
            case 'Z':
                for (int at = type + 1; at < limit; at++) {
                    if (bytes[at] == 0) {
                        return at + 1;
                    }
                }
                return -1;
            case 'B':
                if (type + 6 > limit) {
                    return -1;
                }
                long size = (long) integer(bytes, type + 2) * elementSize(bytes[type + 1]);
                return size <= 0 || size > limit ? -1 : type + 6 + (int) size;
            default:
                return -1;
        }
    }

    /** Returns the number of a tag, or -1. */
    int find(int name) {
        for (int k = 0; k < count; k++) {
            if (names[k] == name) {
                return k;
            }
        }
        return -1;
    }

    /** Returns the size of the smallest type that htsjdk has for a number. */
    static int sizeOf(long value) {
        if (value > 0xffff || value < Short.MIN_VALUE) {
            return 4;
        }
        return value > 0xff || value < Byte.MIN_VALUE ? 2 : 1;
    }

    /** Returns the type, from {@link #sizeOf}: htsjdk prefers the signed one. */
    private static char typeOf(long value) {
        switch (sizeOf(value)) {
            case 1: return value > Byte.MAX_VALUE ? 'C' : 'c';
            case 2: return value > Short.MAX_VALUE ? 'S' : 's';
            default: return value > Integer.MAX_VALUE ? 'I' : 'i';
        }
    }

    /** Writes a tag as htsjdk does. Returns where it ends. */
    static int write(byte[] to, int offset, int name, byte[] bytes, int start, int end) {
        int type = bytes[start];
        switch (type) {
            case 'c': case 's': case 'i':
                return writeNumber(to, offset, name, signed(bytes, start, end));
            case 'C': case 'S': case 'I':
                int bits = 8 * (end - start - 1);
                return writeNumber(to, offset, name,
                        signed(bytes, start, end) & (1L << bits) - 1);
            default:
                to[offset] = (byte) name;
                to[offset + 1] = (byte) (name >> 8);
                System.arraycopy(bytes, start, to, offset + 2, end - start);
                return offset + 2 + end - start;
        }
    }

    private static long signed(byte[] bytes, int start, int end) {
        long value = bytes[end - 1];
        for (int k = end - 2; k > start; k--) {
            value = value << 8 | bytes[k] & 0xff;
        }
        return value;
    }

    static int writeNumber(byte[] to, int offset, int name, long value) {
        to[offset] = (byte) name;
        to[offset + 1] = (byte) (name >> 8);
        to[offset + 2] = (byte) typeOf(value);
        int size = sizeOf(value);
        for (int k = 0; k < size; k++) {
            to[offset + 3 + k] = (byte) (value >> 8 * k);
        }
        return offset + 3 + size;
    }

    static int writeText(byte[] to, int offset, int name, byte[] text) {
        to[offset] = (byte) name;
        to[offset + 1] = (byte) (name >> 8);
        to[offset + 2] = 'Z';
        System.arraycopy(text, 0, to, offset + 3, text.length);
        to[offset + 3 + text.length] = 0;
        return offset + 4 + text.length;
    }
}
