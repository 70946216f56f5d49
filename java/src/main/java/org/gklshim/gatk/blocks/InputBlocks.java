package org.gklshim.gatk.blocks;

import htsjdk.samtools.util.BlockCompressedInputStream;
import htsjdk.samtools.util.BlockCompressedInputStream.DecompressedBlock;
import htsjdk.samtools.util.BlockCompressedStreamConstants;
import htsjdk.samtools.util.BlockGunzipper;
import htsjdk.samtools.util.zip.InflaterFactory;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.SequenceInputStream;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import java.util.zip.Inflater;
import org.gklshim.gatk.Members;

/**
 * The blocks of a file that is read. If a reader goes on from block to block, threads inflate the
 * next ones ahead. The thread that reads from the file also reads the blocks.
 *
 * <p>A block that is unusual in any way is put back, and htsjdk's own code reads it. So what is
 * wrong with a file is found by htsjdk, when the reader comes to it.
 */
final class InputBlocks {
    private static final int HEADER_LENGTH = 18;
    private static final int LENGTH_OFFSET = 16;
    private static final int MAX_LENGTH = 1 << 16;
    /**
     * How many blocks must have been read, without a jump, for each one ahead. At the end of an
     * interval, what is ahead was inflated in vain.
     */
    private static final int READ_FOR_ONE_AHEAD = 8;

    /** A block in flight. */
    private static final class InFlight {
        final long address;
        /** The block as it is in the file. */
        final byte[] bytes;
        int length;
        BlockTask<byte[]> task;

        InFlight(long address, byte[] bytes) {
            this.address = address;
            this.bytes = bytes;
        }
    }

    private final BlockCompressedInputStream file;
    private final CodecPool<BlockGunzipper> gunzippers;
    private final ArrayDeque<InFlight> inFlight = new ArrayDeque<>();
    private final ArrayDeque<byte[]> freeBlocks = new ArrayDeque<>();
    /** Arrays for inflated blocks. */
    private final Queue<byte[]> freeArrays = new ConcurrentLinkedQueue<>();
    /** How many blocks were read without a jump. */
    private int readInOrder;
    /** Whether the stream cannot say how many bytes have arrived. */
    private boolean isSilent;
    /** Whether the next block of the file is one that htsjdk must read. */
    private boolean isBlocked;

    private InputBlocks(BlockCompressedInputStream file, Supplier<Inflater> maker) {
        this.file = file;
        InflaterFactory inflaters = new InflaterFactory() {
            @Override
            public Inflater makeInflater(boolean gzipCompatible) {
                return maker.get();
            }
        };
        gunzippers = new CodecPool<>(
                () -> Members.create(BlockGunzipper.class, InflaterFactory.class, inflaters),
                gunzipper -> gunzipper.inflater.end());
    }

    /** Returns the blocks of a file; null if htsjdk's own code inflates them. */
    static InputBlocks of(BlockCompressedInputStream file) {
        if (file.gklShim == null) {
            Supplier<Inflater> maker = BlockThreads.areOn()
                    ? CodecFactories.maker(file.blockGunzipper.inflater) : null;
            file.gklShim = maker == null ? file : new InputBlocks(file, maker);
        }
        return file.gklShim instanceof InputBlocks ? (InputBlocks) file.gklShim : null;
    }

    /** Returns the blocks of a file of which a block was read already, or null. */
    static InputBlocks begun(BlockCompressedInputStream file) {
        return file.gklShim == null ? null : of(file);
    }

    /**
     * Returns the next block.
     *
     * @param unused the array of the block before, which may be used again, or null
     */
    DecompressedBlock next(byte[] unused) {
        readInOrder++;
        DecompressedBlock next = nextInFlight(unused);
        if (next == null) {
            isBlocked = false;
            next = file.nextBlock$original(unused);
        }
        return next;
    }

    private DecompressedBlock nextInFlight(byte[] unused) {
        try {
            readAhead();
            InFlight first = inFlight.peek();
            if (first == null) {
                return null;
            }
            byte[] inflated = inflated(first);
            if (inflated == null) {
                putBack();
                return null;
            }
            inFlight.poll();
            BlockThreads.end(1);
            freeBlocks.add(first.bytes);
            if (unused != null) {
                freeArrays.add(unused);
            }
            return new DecompressedBlock(first.address, inflated, first.length);
        } catch (IOException e) {
            return new DecompressedBlock(file.mStreamOffset, 0, e);
        }
    }

    /** Returns an inflated block, or null if that failed. */
    private static byte[] inflated(InFlight block) {
        try {
            return block.task.result();
        } catch (Throwable e) {
            return null;
        }
    }

    private void readAhead() throws IOException {
        int ahead = Math.min(readInOrder / READ_FOR_ONE_AHEAD, BlockThreads.BLOCKS_A_FILE);
        while (!isBlocked && inFlight.size() < ahead
                && (inFlight.isEmpty() || !BlockThreads.areFull())) {
            InFlight block = read();
            if (block == null) {
                isBlocked = true;
            } else {
                inFlight.add(block);
                BlockThreads.start(block.task);
            }
        }
    }

    /** Reads a block. Returns null, and leaves it in the file, if it is unusual. */
    private InFlight read() throws IOException {
        // A pipe must not be waited for.
        if (file.mFile == null && !hasArrived()) {
            return null;
        }
        byte[] bytes = freeBlocks.isEmpty() ? new byte[MAX_LENGTH] : freeBlocks.poll();
        InFlight block = new InFlight(file.mStreamOffset, bytes);
        boolean isUsual = false;
        try {
            isUsual = read(block, HEADER_LENGTH) && read(block, length(bytes));
        } catch (IOException e) {
            // htsjdk gets it too, when it reads the same again.
        }
        if (!isUsual) {
            putBack(block.address, bytes, block.length);
            return null;
        }
        file.mStreamOffset += block.length;
        boolean checksCrcs = file.blockGunzipper.checkCrcs;
        block.task = new BlockTask<>(() -> inflate(block, checksCrcs));
        return block;
    }

    /** Returns whether a block can be read from the stream at once. */
    private boolean hasArrived() {
        if (file.mStream == null || isSilent) {
            return false;
        }
        try {
            return file.mStream.available() >= MAX_LENGTH;
        } catch (IOException e) {
            // Java's stream for the path of a pipe, such as /dev/stdin, asks for its length.
            isSilent = true;
            return false;
        }
    }

    private static int length(byte[] bytes) {
        return (bytes[LENGTH_OFFSET] & 0xff | (bytes[LENGTH_OFFSET + 1] & 0xff) << 8) + 1;
    }

    /** Reads bytes of a block, up to a length. Returns false if the file ends before. */
    private boolean read(InFlight block, int length) throws IOException {
        while (block.length < length) {
            int count = file.mFile != null
                    ? file.mFile.read(block.bytes, block.length, length - block.length)
                    : file.mStream.read(block.bytes, block.length, length - block.length);
            if (count <= 0) {
                return false;
            }
            block.length += count;
        }
        // The shortest block has nothing between its header and the eight bytes at its end.
        return length >= HEADER_LENGTH;
    }

    private byte[] inflate(InFlight block, boolean checksCrcs) throws IOException {
        int length = 0;
        for (int k = 1; k <= 4; k++) {
            length = length << 8 | block.bytes[block.length - k] & 0xff;
        }
        if (length < 0 || length > MAX_LENGTH) {
            throw new IOException("a block that inflates to " + length + " bytes");
        }
        if (length == 0 && Arrays.equals(Arrays.copyOf(block.bytes, block.length),
                BlockCompressedStreamConstants.EMPTY_GZIP_BLOCK)) {
            // The mark of the file's end: GKL 0.8.8 warns of a block that inflates to nothing.
            return new byte[0];
        }
        byte[] array = freeArrays.poll();
        if (array == null || array.length != length) {
            array = new byte[length];
        }
        BlockGunzipper gunzipper = gunzippers.take();
        try {
            gunzipper.setCheckCrcs(checksCrcs);
            gunzipper.unzipBlock(array, block.bytes, block.length);
        } finally {
            gunzippers.giveBack(gunzipper);
        }
        return array;
    }

    /** Puts back all blocks in flight, as if they had not been read. */
    void putBack() throws IOException {
        if (inFlight.isEmpty()) {
            return;
        }
        int length = 0;
        for (InFlight block : inFlight) {
            length += block.length;
        }
        byte[] bytes = new byte[length];
        int end = 0;
        for (InFlight block : inFlight) {
            System.arraycopy(block.bytes, 0, bytes, end, block.length);
            end += block.length;
        }
        long address = inFlight.peek().address;
        forget();
        putBack(address, bytes, length);
    }

    private void putBack(long address, byte[] bytes, int length) throws IOException {
        file.mStreamOffset = address;
        if (file.mFile != null) {
            file.mFile.seek(address);
        } else if (length > 0) {
            file.mStream = new SequenceInputStream(
                    new ByteArrayInputStream(bytes, 0, length), file.mStream);
        }
    }

    private void forget() {
        inFlight.forEach(block -> block.task.cancel(false));
        BlockThreads.end(inFlight.size());
        inFlight.clear();
    }

    /** Jumps to a virtual file offset. */
    void seek(long pointer) throws IOException {
        DecompressedBlock current = file.mCurrentBlock;
        boolean isInside = current != null && current.mBlockAddress == pointer >>> 16
                && (pointer & 0xffff) < current.mBlock.length;
        if (!isInside) {
            putBack();
            readInOrder = 0;
            isBlocked = false;
        }
        file.seek$original(pointer);
    }

    /** Frees what the blocks need beside the file. */
    void end() {
        forget();
        isBlocked = true;
        gunzippers.end();
    }
}
