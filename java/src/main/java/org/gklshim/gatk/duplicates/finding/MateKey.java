package org.gklshim.gatk.duplicates.finding;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** What mates have in common: the name, and before it the read group if that counts. */
public final class MateKey {
    private byte[] group;
    private byte[] bytes;
    private int start;
    private int length;
    /** The hash of the name, from native code. */
    int hash;

    /** Takes the bytes of a key, and the hash of the name. */
    void set(byte[] newGroup, byte[] from, int offset, int size, int newHash) {
        group = newGroup;
        bytes = from;
        start = offset;
        length = size;
        hash = newHash;
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
