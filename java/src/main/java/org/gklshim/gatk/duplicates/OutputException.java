package org.gklshim.gatk.duplicates;

import java.util.function.Supplier;

/** Holds what htsjdk has thrown when it wrote a file: Picard's own run would end with it, too. */
public final class OutputException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private OutputException(RuntimeException cause) {
        super(null, cause, false, false);
    }

    /** Has htsjdk write. */
    public static void guard(Runnable write) {
        guard(() -> {
            write.run();
            return null;
        });
    }

    /** The same for what returns a value. */
    public static <T> T guard(Supplier<T> write) {
        try {
            return write.get();
        } catch (RuntimeException e) {
            throw new OutputException(e);
        }
    }

    @Override
    public synchronized RuntimeException getCause() {
        return (RuntimeException) super.getCause();
    }
}
