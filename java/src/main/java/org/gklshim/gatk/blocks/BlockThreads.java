package org.gklshim.gatk.blocks;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.gklshim.gatk.threads.Threads;

/** The threads that deflate and inflate the blocks of all compressed files of this JVM. */
final class BlockThreads {
    private static final String PART = "reads";
    private static final int COUNT = Threads.count();
    /** How many blocks of a file may be in flight. A block needs about 128 KiB. */
    static final int BLOCKS_A_FILE = 4 * COUNT;
    /** How many blocks of all files may be in flight, but each file may always have one. */
    private static final int MAX_BLOCKS = 8 * COUNT + 16;
    private static final long SECONDS_IDLE = 10;

    private static final AtomicInteger BLOCKS = new AtomicInteger();

    /** Started by the first block that a thread computes. */
    private static final class Pool {
        static final ThreadPoolExecutor THREADS = new ThreadPoolExecutor(COUNT, COUNT,
                SECONDS_IDLE, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
                task -> Threads.make(PART, task));

        static {
            THREADS.allowCoreThreadTimeOut(true);
            Part.INSTANCE.info(COUNT + " threads for compressed blocks");
        }

        private Pool() {}
    }

    private BlockThreads() {}

    /** Returns whether blocks are computed by threads. */
    static boolean areOn() {
        return COUNT > 1;
    }

    /** Returns whether a file that has blocks in flight must wait before it has another one. */
    static boolean areFull() {
        return BLOCKS.get() >= MAX_BLOCKS;
    }

    /** Has a thread compute a block, which is in flight from now on. */
    static void start(BlockTask<?> task) {
        BLOCKS.incrementAndGet();
        try {
            Pool.THREADS.execute(task);
        } catch (OutOfMemoryError e) {
            // The thread that waits for the block computes it.
            Threads.logFewer(PART, e);
        }
    }

    /** Says that blocks are no longer in flight. */
    static void end(int blocks) {
        BLOCKS.addAndGet(-blocks);
    }
}
