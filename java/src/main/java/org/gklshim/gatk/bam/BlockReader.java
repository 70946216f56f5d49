package org.gklshim.gatk.bam;

import static org.gklshim.gatk.records.LittleEndian.integer;
import static org.gklshim.gatk.records.LittleEndian.unsignedShort;

import htsjdk.samtools.util.BlockGunzipper;
import htsjdk.samtools.util.zip.InflaterFactory;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.ArrayDeque;
import java.util.function.Supplier;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * The content of a file of compressed blocks, from a block on to the end. Threads inflate runs of
 * neighbouring blocks ahead, straight into the arrays that the caller gets. The exception for a
 * faulty file need not be htsjdk's.
 *
 * <p>The format is section 4.1, "The BGZF compression format", of the SAM specification.
 */
public final class BlockReader implements Closeable {
    /** The most bytes that a run inflates to. */
    public static final int RUN_SIZE = 1 << 18;
    /** The most bytes of a block, in the file and inflated. */
    private static final int BLOCK_SIZE = 1 << 16;
    private static final int HEADER_SIZE = 18;
    private static final int FOOTER_SIZE = 8;
    /** The parts of a header that are always the same: its start, and the field of the size. */
    private static final int START = 0x04088b1f;
    private static final int FIELD_OFFSET = 10;
    private static final int FIELD = 0x43420006;
    private static final int SIZE_OFFSET = 16;
    /** How many runs are inflated ahead. Each needs about 512 KiB. */
    private static final int RUNS_AHEAD =
            Math.max(1, BlockThreads.BLOCKS_A_FILE * BLOCK_SIZE / RUN_SIZE);

    /** Neighbouring blocks. */
    private static final class Run {
        /** The blocks as they are in the file, and the header of the next one. */
        final byte[] blocks;
        /** Where the blocks end. */
        int end;
        /** How many bytes they inflate to. */
        int size;
        /** Returns the array that has these. */
        BlockTask<byte[]> task;

        Run(byte[] blocks) {
            this.blocks = blocks;
        }
    }

    private final RandomAccessFile file;
    private final Supplier<byte[]> arrays;
    private final int offset;
    private final CodecPool<Inflater> inflaters;
    private final ArrayDeque<Run> ahead = new ArrayDeque<>();
    private final ArrayDeque<byte[]> free = new ArrayDeque<>();
    /** The header of the first block that is in no run. */
    private final byte[] header = new byte[HEADER_SIZE];
    private boolean isAtEnd;
    private int size;

    /**
     * Opens a file.
     *
     * @param address where the first block is in the file
     * @param arrays gives the arrays of runs, which it may get back from the caller
     * @param offset where a run begins in its array. From there on, each array has at least
     *     {@link #RUN_SIZE} bytes
     */
    public BlockReader(File file, long address, Supplier<byte[]> arrays, int offset)
            throws IOException {
        this.arrays = arrays;
        this.offset = offset;
        InflaterFactory factory = BlockGunzipper.getDefaultInflaterFactory();
        Inflater inflater = factory.makeInflater(true);
        Supplier<Inflater> maker = CodecFactories.maker(inflater);
        inflaters = new CodecPool<>(maker == null ? () -> factory.makeInflater(true) : maker,
                Inflater::end);
        inflaters.giveBack(inflater);
        this.file = new RandomAccessFile(file, "r");
        boolean isOpen = false;
        try {
            this.file.seek(address);
            isAtEnd = isEnd(read(header, 0, HEADER_SIZE), 0);
            isOpen = true;
        } finally {
            if (!isOpen) {
                close();
            }
        }
    }

    /**
     * Returns whether a file ends behind a block.
     *
     * @param readEnd where there are bytes up to, after the next header was read
     * @param blockEnd where the block ends
     */
    private static boolean isEnd(int readEnd, int blockEnd) throws IOException {
        if (readEnd != blockEnd && readEnd < blockEnd + HEADER_SIZE) {
            throw new IOException("a file that ends within a block");
        }
        return readEnd == blockEnd;
    }

    /**
     * Returns the array of the next run, or null at the end of the file.
     *
     * @throws IOException if the file cannot be read, or has something else than usual blocks
     */
    public byte[] next() throws IOException {
        while (!isAtEnd && (ahead.isEmpty() || BlockThreads.areOn() && ahead.size() < RUNS_AHEAD
                && !BlockThreads.areFull())) {
            Run run = readRun();
            run.task = new BlockTask<>(() -> inflate(run));
            ahead.add(run);
            BlockThreads.start(run.task);
        }
        Run run = ahead.poll();
        if (run == null) {
            return null;
        }
        BlockThreads.end(1);
        byte[] array = run.task.result();
        size = run.size;
        free.add(run.blocks);
        return array;
    }

    /** Returns how many bytes the run that was returned last has. */
    public int size() {
        return size;
    }

    private Run readRun() throws IOException {
        Run run = new Run(free.isEmpty() ? new byte[RUN_SIZE + HEADER_SIZE] : free.poll());
        System.arraycopy(header, 0, run.blocks, 0, HEADER_SIZE);
        while (!isAtEnd && Math.max(run.end, run.size) <= RUN_SIZE - BLOCK_SIZE) {
            readBlock(run);
        }
        System.arraycopy(run.blocks, run.end, header, 0, HEADER_SIZE);
        return run;
    }

    /** Adds the block to a run whose header was read. */
    private void readBlock(Run run) throws IOException {
        if (integer(run.blocks, run.end) != START
                || integer(run.blocks, run.end + FIELD_OFFSET) != FIELD) {
            throw new IOException("something else than a block");
        }
        int length = unsignedShort(run.blocks, run.end + SIZE_OFFSET) + 1;
        int next = run.end + length;
        isAtEnd = isEnd(read(run.blocks, run.end + HEADER_SIZE, next + HEADER_SIZE), next);
        int inflated = integer(run.blocks, next - 4);
        // For htsjdk, the first block without content is the last one.
        if (length < HEADER_SIZE + FOOTER_SIZE || inflated < 0 || inflated > BLOCK_SIZE
                || inflated == 0 && !isAtEnd) {
            throw new IOException("an unusual block");
        }
        run.end = next;
        run.size += inflated;
    }

    /** Fills a part of an array, up to the end of the file. Returns where there are bytes up to. */
    private int read(byte[] to, int start, int end) throws IOException {
        int at = start;
        while (at < end) {
            int count = file.read(to, at, end - at);
            if (count < 0) {
                break;
            }
            at += count;
        }
        return at;
    }

    private byte[] inflate(Run run) throws IOException {
        byte[] array = arrays.get();
        Inflater inflater = inflaters.take();
        try {
            int to = offset;
            for (int at = 0; at < run.end;) {
                int next = at + unsignedShort(run.blocks, at + SIZE_OFFSET) + 1;
                int wanted = integer(run.blocks, next - 4);
                inflater.reset();
                inflater.setInput(run.blocks, at + HEADER_SIZE,
                        next - at - HEADER_SIZE - FOOTER_SIZE);
                if (inflater.inflate(array, to, wanted) != wanted) {
                    throw new IOException("a block with less content than it says");
                }
                to += wanted;
                at = next;
            }
        } catch (DataFormatException e) {
            throw new IOException("a block that cannot be inflated", e);
        } finally {
            inflaters.giveBack(inflater);
        }
        return array;
    }

    @Override
    public void close() throws IOException {
        ahead.forEach(run -> run.task.cancel(false));
        BlockThreads.end(ahead.size());
        ahead.clear();
        isAtEnd = true;
        inflaters.end();
        file.close();
    }
}
