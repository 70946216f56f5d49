package org.gklshim.gatk.blocks;

import java.util.ArrayDeque;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The deflaters or inflaters of a file that threads use: as many as were taken at one time. */
final class CodecPool<C> {
    private final Supplier<C> maker;
    private final Consumer<C> end;
    private final ArrayDeque<C> idle = new ArrayDeque<>();
    private boolean isEnded;

    /**
     * Creates an empty pool.
     *
     * @param maker makes another one
     * @param end frees the native memory of one
     */
    CodecPool(Supplier<C> maker, Consumer<C> end) {
        this.maker = maker;
        this.end = end;
    }

    /** Takes one, which the caller must give back. */
    C take() {
        synchronized (this) {
            if (!idle.isEmpty()) {
                return idle.pop();
            }
        }
        return maker.get();
    }

    /** Gives one back. */
    synchronized void giveBack(C codec) {
        if (isEnded) {
            end.accept(codec);
        } else {
            idle.push(codec);
        }
    }

    /** Frees the native memory of all, of those in use when they are given back. */
    synchronized void end() {
        isEnded = true;
        idle.forEach(end);
        idle.clear();
    }
}
