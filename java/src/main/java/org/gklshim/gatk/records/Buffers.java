package org.gklshim.gatk.records;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Arrays of bytes for batches of records, which are used again: the JVM would clear new ones. */
public final class Buffers {
    private final Queue<byte[]> free = new ConcurrentLinkedQueue<>();
    private final int size;

    /** Makes a pool of arrays of one size. */
    public Buffers(int size) {
        this.size = size;
    }

    /** Returns an array of the pool's size, or of a larger one. Its content is not defined. */
    public byte[] take(int least) {
        byte[] array = least <= size ? free.poll() : null;
        return array == null ? new byte[Math.max(size, least)] : array;
    }

    /** Takes an array back. Others may change it from now on. */
    public void giveBack(byte[] array) {
        if (array.length == size) {
            free.add(array);
        }
    }
}
