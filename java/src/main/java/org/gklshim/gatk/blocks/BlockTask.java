package org.gklshim.gatk.blocks;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.gklshim.gatk.threads.OrderedTasks;

/** A block that a thread computes, or the one that waits for it. */
final class BlockTask<T> extends FutureTask<T> {
    BlockTask(Callable<T> computation) {
        super(computation);
    }

    /**
     * Waits for the block, or computes it if no thread has begun to. An interrupt of the calling
     * thread is kept for later.
     *
     * @throws RuntimeException or an error or any exception, if the computation threw it
     */
    T result() {
        run();
        boolean isInterrupted = false;
        try {
            while (true) {
                try {
                    return get();
                } catch (InterruptedException e) {
                    isInterrupted = true;
                } catch (ExecutionException e) {
                    OrderedTasks.<RuntimeException>rethrow(e.getCause());
                }
            }
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
