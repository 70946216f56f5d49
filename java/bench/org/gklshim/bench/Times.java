package org.gklshim.bench;

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.broadinstitute.gatk.nativebindings.NativeLibrary;

/** Calls of a native kernel like GATK's, timed in this JVM: GKL's, or with the agent gkl-shim's. */
public abstract class Times {
    /** In shorter turns, the clock and cold caches would affect the result. */
    private static final double TURN_SECONDS = 0.25;

    // Volatile, so that the compiler does not evaluate the multiplication.
    private static volatile float smallest = Float.MIN_NORMAL;
    private static volatile float half = 0.5f;

    /** Makes all calls once. */
    protected abstract void pass();

    /** Writes what the calls returned, so that the results of two engines can be compared. */
    protected abstract void write(DataOutputStream results) throws IOException;

    /** Loads the native library of a kernel, and returns the kernel. */
    protected static <T extends NativeLibrary> T loaded(T kernel) {
        if (!kernel.load(null)) {
            throw new IllegalStateException("the native library does not load on this machine");
        }
        return kernel;
    }

    /**
     * Times passes for a number of seconds, and writes the results of a first pass to a file. A
     * first turn that does not count warms up caches, the JIT compiler and thread pools.
     *
     * <p>Prints a line of JSON: the seconds of a pass, by turns, and whether this thread flushes
     * subnormal numbers to zero.
     */
    protected final void run(String results, double seconds) throws IOException {
        pass();
        try (DataOutputStream file = new DataOutputStream(
                new BufferedOutputStream(Files.newOutputStream(Paths.get(results))))) {
            write(file);
        }
        boolean flushToZero = smallest * half == 0;
        turn();
        List<String> turns = new ArrayList<>();
        for (double total = 0; total < seconds; total += TURN_SECONDS) {
            turns.add(String.format(Locale.ROOT, "%.9f", turn()));
        }
        // GKL's PDHMM prints its settings before.
        System.out.printf("%n{\"seconds\": %s, \"flush_to_zero\": %b}%n", turns, flushToZero);
    }

    /** Makes passes for a turn, and returns the seconds of one. */
    private double turn() {
        int passes = 0;
        double elapsed;
        long start = System.nanoTime();
        do {
            pass();
            passes++;
            elapsed = (System.nanoTime() - start) * 1e-9;
        } while (elapsed < TURN_SECONDS);
        return elapsed / passes;
    }
}
