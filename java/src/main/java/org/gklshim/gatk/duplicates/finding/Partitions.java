package org.gklshim.gatk.duplicates.finding;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Rows of several words, divided by a hash, so that equal rows are in one partition. {@link #spill}
 * moves them from memory to temporary files.
 */
final class Partitions implements Closeable {
    static final int COUNT = 64;

    private static final int CHUNK_ROWS = 1 << 9;

    /** The rows of one hash. */
    private static final class Partition {
        final List<long[]> full = new ArrayList<>();
        long[] last = {};
        int used;
        long spilled;
        RandomAccessFile file;
    }

    final int width;
    private final Partition[] partitions = new Partition[COUNT];
    private long words;

    Partitions(int width) {
        this.width = width;
        for (int k = 0; k < COUNT; k++) {
            partitions[k] = new Partition();
        }
    }

    /** Mixes the bits of a key. The highest bits choose the partition. */
    static long hash(long key) {
        long hash = (key ^ key >>> 32) * 0x9e3779b97f4a7c15L;
        hash = (hash ^ hash >>> 29) * 0xbf58476d1ce4e5b9L;
        return hash ^ hash >>> 32;
    }

    /** Returns the hash of a key of several words. */
    static long hash(long[] words, int from, int to) {
        long hash = 0;
        for (int k = from; k < to; k++) {
            hash = hash(hash + words[k]);
        }
        return hash;
    }

    /** Adds a row, of the words up to the width. */
    void add(long hash, long[] row) {
        Partition partition = partitions[(int) (hash >>> 58)];
        if (partition.used == partition.last.length) {
            if (partition.used > 0) {
                partition.full.add(partition.last);
            }
            partition.last = new long[CHUNK_ROWS * width];
            partition.used = 0;
            words += partition.last.length;
        }
        System.arraycopy(row, 0, partition.last, partition.used, width);
        partition.used += width;
    }

    /** Returns how many words the memory holds. */
    long words() {
        return words;
    }

    /** Moves all rows to temporary files. */
    void spill(File folder) throws IOException {
        for (Partition partition : partitions) {
            if (partition.file == null) {
                File file = File.createTempFile("duplicates.", ".tmp", folder);
                partition.file = new RandomAccessFile(file, "rw");
                // Linux keeps an open file without a name, and frees it at the end of the process.
                if (!file.delete()) {
                    file.deleteOnExit();
                }
            }
            for (long[] chunk : partition.full) {
                write(partition, chunk, chunk.length);
            }
            write(partition, partition.last, partition.used);
            partition.full.clear();
            partition.last = new long[0];
            partition.used = 0;
        }
        words = 0;
    }

    private static void write(Partition partition, long[] chunk, int size) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(8 * size).order(ByteOrder.nativeOrder());
        buffer.asLongBuffer().put(chunk, 0, size);
        partition.file.write(buffer.array());
        partition.spilled += size;
    }

    /** Returns all rows of a partition, and forgets them. */
    long[] take(int number) throws IOException {
        Partition partition = partitions[number];
        long size = partition.spilled + partition.used;
        for (long[] chunk : partition.full) {
            size += chunk.length;
        }
        if (size > Integer.MAX_VALUE - 8) {
            throw new IOException("too many reads for a partition");
        }
        long[] rows = new long[(int) size];
        int at = 0;
        if (partition.file != null) {
            partition.file.seek(0);
            ByteBuffer buffer = ByteBuffer.allocate(1 << 16).order(ByteOrder.nativeOrder());
            while (at < partition.spilled) {
                int part = (int) Math.min(1 << 13, partition.spilled - at);
                partition.file.readFully(buffer.array(), 0, 8 * part);
                buffer.asLongBuffer().get(rows, at, part);
                at += part;
            }
            partition.file.close();
            partition.file = null;
        }
        for (long[] chunk : partition.full) {
            System.arraycopy(chunk, 0, rows, at, chunk.length);
            at += chunk.length;
        }
        System.arraycopy(partition.last, 0, rows, at, partition.used);
        partitions[number] = new Partition();
        return rows;
    }

    @Override
    public void close() throws IOException {
        for (Partition partition : partitions) {
            if (partition.file != null) {
                partition.file.close();
                partition.file = null;
            }
        }
    }
}
