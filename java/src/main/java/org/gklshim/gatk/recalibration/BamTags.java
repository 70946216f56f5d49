package org.gklshim.gatk.recalibration;

/** The optional fields of a record in a BAM file (SAM specification, section 4.2.4). */
final class BamTags {
    /** The bytes before a field's value: two of its name, and one of its type. */
    static final int HEADER = 3;
    private static final int ARRAY_HEADER = HEADER + 5;

    private BamTags() {}

    /** Returns where a field ends, or -1 if it does not end, or is of a type not known here. */
    static int end(byte[] data, int at) {
        if (data.length - at <= HEADER) {
            return -1;
        }
        int size = size(data[at + 2]);
        if (size > 0) {
            return at + HEADER + size <= data.length ? at + HEADER + size : -1;
        }
        switch (data[at + 2]) {
            case 'Z':
                for (int k = at + HEADER; k < data.length; k++) {
                    if (data[k] == 0) {
                        return k + 1;
                    }
                }
                return -1;
            case 'B':
                if (data.length - at < ARRAY_HEADER) {
                    return -1;
                }
                long count = ReadArrays.littleEndian(data, at + 4);
                long end = at + ARRAY_HEADER + count * size(data[at + 3]);
                return size(data[at + 3]) == 0 || data[at + 3] == 'A' || count < 0
                        || end > data.length ? -1 : (int) end;
            default:
                return -1;
        }
    }

    /** Returns the size of a value of a type, or 0 if it differs, or the type is not known. */
    private static int size(byte type) {
        switch (type) {
            case 'A': case 'c': case 'C': return 1;
            case 's': case 'S': return 2;
            case 'i': case 'I': case 'f': return 4;
            default: return 0;
        }
    }
}
