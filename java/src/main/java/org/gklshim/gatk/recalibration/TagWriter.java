package org.gklshim.gatk.recalibration;

import java.util.Arrays;

/**
 * The tags of a BAM record as htsjdk writes them after a change: in the order of the second letter
 * of their names, then the first, and with integers in the smallest type, signed if possible.
 * GATK's ApplyBQSR takes BI and BD out, and may put OQ in.
 */
final class TagWriter {
    private static final int OQ = name('O', 'Q');
    private static final int BI = name('B', 'I');
    private static final int BD = name('B', 'D');
    private static final int CG = name('C', 'G');
    private static final int FIRST_QUALITY = 33;

    /** The places of the tags, in order; that of a new OQ is -1. */
    private int[] places = new int[32];
    private int[] names = new int[32];
    private int count;
    private byte[] buffer = new byte[256];
    private int size;

    private static int name(int first, int second) {
        return second << 8 | first;
    }

    /**
     * Returns a record's bytes with such tags, or null if there are other types of tags than
     * letters, strings of ASCII, integers, and arrays of these, or if a name comes twice.
     *
     * @param record the bytes of the record
     * @param tags where the tags start
     * @param qualities where the qualities are, for OQ
     * @param hasOriginal whether OQ is put in if there is none
     */
    byte[] rewrite(byte[] record, int tags, int qualities, boolean hasOriginal) {
        if (!sort(record, tags, hasOriginal)) {
            return null;
        }
        size = 0;
        reserve(2 * (record.length - qualities) + BamTags.HEADER + 1);
        for (int k = 0; k < count; k++) {
            if (places[k] < 0) {
                addOriginal(record, qualities, tags);
            } else if (!add(record, places[k])) {
                return null;
            }
        }
        byte[] result = Arrays.copyOf(record, tags + size);
        System.arraycopy(buffer, 0, result, tags, size);
        return result;
    }

    private void reserve(int bytes) {
        if (buffer.length < bytes) {
            buffer = new byte[2 * bytes];
        }
    }

    private boolean sort(byte[] record, int tags, boolean hasOriginal) {
        count = 0;
        boolean isOriginalMissing = hasOriginal;
        for (int at = tags; at < record.length;) {
            int end = BamTags.end(record, at);
            int name = name(record[at], record[at + 1]);
            if (end < 0 || record[at] < 0 || record[at + 1] < 0 || name == CG) {
                return false;
            }
            isOriginalMissing &= name != OQ;
            if (!insert(name, at)) {
                return false;
            }
            at = end;
        }
        if (isOriginalMissing) {
            insert(OQ, -1);
        }
        return true;
    }

    /** Puts a tag in. Returns false if there is one of its name. */
    private boolean insert(int name, int place) {
        if (count == places.length) {
            places = Arrays.copyOf(places, 2 * count);
            names = Arrays.copyOf(names, 2 * count);
        }
        int k = count;
        for (; k > 0 && names[k - 1] >= name; k--) {
            if (names[k - 1] == name) {
                return false;
            }
            names[k] = names[k - 1];
            places[k] = places[k - 1];
        }
        names[k] = name;
        places[k] = place;
        count++;
        return true;
    }

    private void addOriginal(byte[] record, int qualities, int end) {
        addHeader((byte) 'O', (byte) 'Q', 'Z');
        for (int k = qualities; k < end; k++) {
            buffer[size++] = (byte) (record[k] + FIRST_QUALITY);
        }
        buffer[size++] = 0;
    }

    private void addHeader(byte first, byte second, int type) {
        buffer[size++] = first;
        buffer[size++] = second;
        buffer[size++] = (byte) type;
    }

    /** Adds a tag. Returns false if it is of a type that is left to htsjdk. */
    private boolean add(byte[] record, int at) {
        int name = name(record[at], record[at + 1]);
        if (name == BI || name == BD) {
            return true;
        }
        int value = at + BamTags.HEADER;
        int end = BamTags.end(record, at);
        switch (record[at + 2]) {
            case 'c':
                addInteger(record, at, record[value]);
                return true;
            case 'C':
                addInteger(record, at, record[value] & 0xff);
                return true;
            case 's':
                addInteger(record, at, (short) littleEndian(record, value));
                return true;
            case 'S':
                addInteger(record, at, littleEndian(record, value) & 0xffff);
                return true;
            case 'i':
                addInteger(record, at, ReadArrays.littleEndian(record, value));
                return true;
            case 'I':
                addInteger(record, at, ReadArrays.littleEndian(record, value) & 0xffffffffL);
                return true;
            case 'A': case 'Z':
                for (int k = value; k < end; k++) {
                    if (record[k] < 0) {
                        return false;
                    }
                }
                break;
            case 'B':
                if (record[value] == 'f') {
                    return false;
                }
                break;
            default:
                return false;
        }
        System.arraycopy(record, at, buffer, size, end - at);
        size += end - at;
        return true;
    }

    private static int littleEndian(byte[] data, int at) {
        return data[at] & 0xff | data[at + 1] << 8;
    }

    private void addInteger(byte[] record, int at, long value) {
        int type;
        int bytes;
        if (value > Integer.MAX_VALUE) {
            type = 'I';
            bytes = 4;
        } else if (value > 0xffff || value < Short.MIN_VALUE) {
            type = 'i';
            bytes = 4;
        } else if (value > Short.MAX_VALUE) {
            type = 'S';
            bytes = 2;
        } else if (value > 0xff || value < Byte.MIN_VALUE) {
            type = 's';
            bytes = 2;
        } else {
            type = value > Byte.MAX_VALUE ? 'C' : 'c';
            bytes = 1;
        }
        addHeader(record[at], record[at + 1], type);
        for (int k = 0; k < bytes; k++) {
            buffer[size++] = (byte) (value >> 8 * k);
        }
    }
}
