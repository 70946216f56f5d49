package org.gklshim.gatk.duplicates.finding;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** What mates have in common: the name, and before it the read group if that counts. */
public final class MateKey {
    private byte[] group;
    private byte[] bytes;
    private int start;
    private int length;
    long hash;

    /** Takes the bytes of a key, and their hash. */
    void set(byte[] newGroup, byte[] from, int offset, int size, long newHash) {
        group = newGroup;
        bytes = from;
        start = offset;
        length = size;
        hash = newHash;
    }

    void set(byte[] newGroup, byte[] name) {
        set(newGroup, name, 0, name.length, Partitions.hash(hash(hashBefore(newGroup), name)));
    }

    /** Returns the hash of a read group. The name of a read continues it to the hash of a key. */
    public static long hashBefore(byte[] group) {
        return hash(0, group);
    }

    /** Native code has the same hash: kernels/duplicates/ends.cpp. */
    private static long hash(long before, byte[] bytes) {
        long hash = before;
        for (byte letter : bytes) {
            hash = hash * 0x100000001b3L + letter;
        }
        return hash;
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
