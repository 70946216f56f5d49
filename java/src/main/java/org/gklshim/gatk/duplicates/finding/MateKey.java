package org.gklshim.gatk.duplicates.finding;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** What mates have in common: the name, and before it the read group if that counts. */
final class MateKey {
    private byte[] group;
    private byte[] bytes;
    private int start;
    private int length;
    long hash;

    /** Takes the bytes of a key, and its {@link #hash(byte[], byte[], int, int)}. */
    void set(byte[] newGroup, byte[] from, int offset, int size, long newHash) {
        group = newGroup;
        bytes = from;
        start = offset;
        length = size;
        hash = newHash;
    }

    void set(byte[] newGroup, byte[] name) {
        ByteBuffer words = ByteBuffer.wrap(name).order(ByteOrder.LITTLE_ENDIAN);
        set(newGroup, name, 0, name.length, hash(newGroup, words, 0, name.length));
    }

    /** Returns the hash of a read group and a name, which a little-endian buffer has. */
    static long hash(byte[] group, ByteBuffer names, int start, int length) {
        long hash = 0;
        for (byte letter : group) {
            hash = mixed(hash, letter);
        }
        int at = start;
        for (; at + 8 <= start + length; at += 8) {
            hash = mixed(hash, names.getLong(at));
        }
        for (; at < start + length; at++) {
            hash = mixed(hash, names.get(at));
        }
        return Partitions.hash(hash);
    }

    private static long mixed(long hash, long word) {
        long product = (hash ^ word) * 0x9e3779b97f4a7c15L;
        return product ^ product >>> 32;
    }

    /** Returns a copy of the bytes. */
    byte[] copy() {
        byte[] copy = Arrays.copyOf(group, group.length + length);
        System.arraycopy(bytes, start, copy, group.length, length);
        return copy;
    }

    /** Returns whether another key has such bytes, from {@link #copy}. */
    boolean equals(byte[] other) {
        if (other.length != group.length + length) {
            return false;
        }
        for (int k = 0; k < group.length; k++) {
            if (other[k] != group[k]) {
                return false;
            }
        }
        for (int k = 0; k < length; k++) {
            if (other[group.length + k] != bytes[start + k]) {
                return false;
            }
        }
        return true;
    }

    /** Returns the key for Picard. */
    String text() {
        return new String(copy(), StandardCharsets.ISO_8859_1);
    }
}
