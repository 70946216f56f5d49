package org.gklshim.gatk.records;

import static org.gklshim.gatk.records.LittleEndian.integer;

import java.util.Arrays;

/**
 * The tags of a BAM record (SAM specification, section 4.2.4) in the order in which htsjdk writes
 * them after a change: by the second letter of the name, then the first.
 */
public final class Tags {
    /** The size of a name and a type, which are before each value. */
    public static final int HEADER = 3;

    public static final int RG = name('R', 'G');
    /** A long CIGAR. */
    private static final int CG = name('C', 'G');

    public int count;
    /** The names, from {@link #name}. */
    public int[] names = new int[32];
    /** Where the type of each tag is. */
    public int[] starts = new int[32];
    public int[] ends = new int[32];

    /** Returns a name as a number. The first letter is the low byte, as in the file. */
    public static int name(char first, char second) {
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
    public boolean parse(byte[] bytes, int start, int end) {
        count = 0;
        for (int at = start; at < end;) {
            int next = end(bytes, at, end);
            if (next < 0) {
                return false;
            }
            int name = LittleEndian.unsignedShort(bytes, at);
            if (name == CG || (name & 0x8080) != 0) {
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

    /**
     * Returns where a tag ends, or -1 if it does not end, or may not be written as it is.
     *
     * @param start where its name is
     * @param limit where the record ends
     */
    public static int end(byte[] bytes, int start, int limit) {
        if (limit - start <= HEADER) {
            return -1;
        }
        long end = end(bytes, start, start + HEADER, limit);
        return end > limit ? -1 : (int) end;
    }

    /** Does the same for a value, but the end may be beyond the limit. */
    private static long end(byte[] bytes, int start, int value, int limit) {
        switch (bytes[start + 2]) {
            case 'A': case 'c': case 'C':
                return value + 1;
            case 's': case 'S':
                return value + 2;
            case 'i': case 'I':
                return value + 4;
            case 'f':
                // Not a number may get other bits.
                return limit - value < 4
                        || Float.isNaN(Float.intBitsToFloat(integer(bytes, value)))
                        ? -1 : value + 4;
            case 'Z':
                for (int at = value; at < limit; at++) {
                    if (bytes[at] == 0) {
                        return at + 1;
                    }
                }
                return -1;
            case 'B':
                if (limit - value < 5) {
                    return -1;
                }
                long size = (long) integer(bytes, value + 1) * elementSize(bytes[value]);
                return size <= 0 ? -1 : value + 5 + size;
            default:
                return -1;
        }
    }

    /** Returns the number of a tag, or -1. */
    public int find(int name) {
        for (int k = 0; k < count; k++) {
            if (names[k] == name) {
                return k;
            }
        }
        return -1;
    }

    /** Returns the size of the smallest type that htsjdk has for a number. */
    private static int sizeOf(long value) {
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
    public static int write(byte[] to, int offset, int name, byte[] bytes, int start, int end) {
        int type = bytes[start];
        switch (type) {
            case 'c': case 's': case 'i':
                return writeNumber(to, offset, name, signed(bytes, start, end));
            case 'C': case 'S': case 'I':
                int bits = 8 * (end - start - 1);
                return writeNumber(to, offset, name,
                        signed(bytes, start, end) & (1L << bits) - 1);
            default:
                LittleEndian.putShort(to, offset, name);
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

    private static int writeNumber(byte[] to, int offset, int name, long value) {
        LittleEndian.putShort(to, offset, name);
        to[offset + 2] = (byte) typeOf(value);
        int size = sizeOf(value);
        for (int k = 0; k < size; k++) {
            to[offset + 3 + k] = (byte) (value >> 8 * k);
        }
        return offset + 3 + size;
    }
}
