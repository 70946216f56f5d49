package org.gklshim.gatk.records;

/** Reading and writing of the numbers in a BAM file. */
public final class LittleEndian {
    private LittleEndian() {}

    public static int unsignedByte(byte[] bytes, int offset) {
        return bytes[offset] & 0xff;
    }

    public static int unsignedShort(byte[] bytes, int offset) {
        return bytes[offset] & 0xff | (bytes[offset + 1] & 0xff) << 8;
    }

    public static int integer(byte[] bytes, int offset) {
        return bytes[offset] & 0xff | (bytes[offset + 1] & 0xff) << 8
                | (bytes[offset + 2] & 0xff) << 16 | bytes[offset + 3] << 24;
    }

    public static void putShort(byte[] bytes, int offset, int value) {
        bytes[offset] = (byte) value;
        bytes[offset + 1] = (byte) (value >> 8);
    }
}
