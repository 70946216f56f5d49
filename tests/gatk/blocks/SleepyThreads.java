package org.gklshim.gatk.blocks;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/** Has each thread sleep now and then before it computes a block. */
public final class SleepyThreads {
    private SleepyThreads() {}

    /** Takes the place of the method of CodecPool. */
    public static Object take(CodecPool<?> pool) throws ReflectiveOperationException {
        if (ThreadLocalRandom.current().nextInt(4) == 0) {
            LockSupport.parkNanos(ThreadLocalRandom.current().nextInt(4_000_000));
        }
        return CodecPool.class.getDeclaredMethod("take$original").invoke(pool);
    }
}
