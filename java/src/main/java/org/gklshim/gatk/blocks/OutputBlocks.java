package org.gklshim.gatk.blocks;

import htsjdk.samtools.util.BlockCompressedOutputStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.function.Supplier;
import java.util.zip.Deflater;

/**
 * The blocks of a file that is written. Threads deflate them. The thread that writes to the file
 * also writes the deflated blocks, in order, and gets the exceptions.
 */
final class OutputBlocks {
    /** A block in flight. */
    private static final class InFlight {
        final DeflatedBlock block;
        final BlockTask<DeflatedBlock> task;

        InFlight(DeflatedBlock block, BlockTask<DeflatedBlock> task) {
            this.block = block;
            this.task = task;
        }
    }

    private final BlockCompressedOutputStream file;
    /** For the first block: the file's own deflater, as in htsjdk, and new ones. */
    private final CodecPool<Deflater> firstDeflaters;
    private final CodecPool<Deflater> deflaters;
    private final ArrayDeque<InFlight> inFlight = new ArrayDeque<>();
    private final ArrayDeque<DeflatedBlock> free = new ArrayDeque<>();
    /** The index that is written with the file, or null. */
    private PendingIndex index;
    /** How many blocks are in the file. */
    private long written;
    /** Whether htsjdk's own code writes the next block. */
    private boolean isSerial;

    private OutputBlocks(BlockCompressedOutputStream file, Supplier<Deflater> maker) {
        this.file = file;
        Deflater own = file.deflater;
        firstDeflaters = new CodecPool<>(maker, each -> {
            if (each != own) {
                each.end();
            }
        });
        firstDeflaters.giveBack(own);
        deflaters = new CodecPool<>(() -> used(maker.get()), Deflater::end);
    }

    /**
     * Returns a deflater after it has deflated a block. At levels 1 and 2, a deflater of GKL 0.8.8
     * compresses its first block in another way than all later ones.
     */
    private static Deflater used(Deflater deflater) {
        deflater.reset();
        deflater.setInput(new byte[1], 0, 1);
        deflater.finish();
        deflater.deflate(new byte[64], 0, 64);
        return deflater;
    }

    /** Returns the blocks of a file; null if htsjdk's own code deflates them. */
    static OutputBlocks of(BlockCompressedOutputStream file) {
        if (file.gklShim == null) {
            Supplier<Deflater> maker = BlockThreads.areOn() && file.indexer == null
                    ? CodecFactories.maker(file.deflater) : null;
            file.gklShim = maker == null ? file : new OutputBlocks(file, maker);
        }
        return file.gklShim instanceof OutputBlocks ? (OutputBlocks) file.gklShim : null;
    }

    /** Returns the blocks of a file in which a block was full already, or null. */
    static OutputBlocks begun(BlockCompressedOutputStream file) {
        return file.gklShim == null ? null : of(file);
    }

    /** Returns the number of the block that gets the next byte. */
    long number() {
        return written + inFlight.size();
    }

    /** Returns how many blocks are in the file. */
    long written() {
        return written;
    }

    /** Returns where in the file the block begins that is the next to be written. */
    long address() {
        return file.mBlockAddress;
    }

    /** Sets the index, which is told of each block that is written. */
    void setIndex(PendingIndex index) {
        this.index = index;
    }

    PendingIndex index() {
        return index;
    }

    /** Takes the bytes that the file has gathered, and has a thread deflate them. */
    void add() {
        if (file.numUncompressedBytes == 0) {
            return;
        }
        if (isSerial || file.indexer != null) {
            file.deflateBlock$original();
            hasWritten();
            return;
        }
        // What fails here leaves the file with its bytes, as if htsjdk could not write them.
        while (!inFlight.isEmpty() && (inFlight.peek().task.isDone()
                || inFlight.size() >= BlockThreads.BLOCKS_A_FILE || BlockThreads.areFull())) {
            writeFirst();
        }
        DeflatedBlock block = free.isEmpty()
                ? new DeflatedBlock(file.uncompressedBuffer.length, file.compressedBuffer.length)
                : free.poll();
        CodecPool<Deflater> pool = number() == 0 ? firstDeflaters : deflaters;
        InFlight added = new InFlight(block, new BlockTask<>(() -> block.deflate(pool)));
        inFlight.add(added);
        byte[] empty = block.bytes;
        block.bytes = file.uncompressedBuffer;
        block.length = file.numUncompressedBytes;
        file.uncompressedBuffer = empty;
        file.numUncompressedBytes = 0;
        BlockThreads.start(added.task);
    }

    private void writeFirst() {
        InFlight first = inFlight.peek();
        int length = first.task.result().write(file.codec);
        inFlight.poll();
        BlockThreads.end(1);
        free.add(first.block);
        file.mBlockAddress += length;
        hasWritten();
    }

    private void hasWritten() {
        written++;
        if (index != null) {
            index.hasWritten();
        }
    }

    /** Writes all blocks that are in flight. */
    void writeAll() {
        while (!inFlight.isEmpty()) {
            writeFirst();
        }
    }

    /** Writes all bytes. */
    void flush() throws IOException {
        writeAll();
        boolean wasSerial = isSerial;
        // A thread would gain nothing: the last block is waited for.
        isSerial = true;
        try {
            file.flush$original();
        } finally {
            isSerial = wasSerial;
        }
    }

    /**
     * Writes all blocks in flight, because a caller asks for the address of the next one. Such a
     * caller asks for each record's, so htsjdk's own code deflates all later blocks.
     */
    void writeForAddress() {
        if (!inFlight.isEmpty()) {
            writeAll();
            isSerial = index == null;
        }
    }

    /** Frees what the blocks need beside the file. */
    void end() {
        firstDeflaters.end();
        deflaters.end();
    }
}
