package org.gklshim.smithwaterman;

import java.io.IOException;
import org.gklshim.Algorithm;
import org.gklshim.NativeLibrary;
import org.gklshim.Setting;

/** Aligns sequences for the classes that replace Intel's. There is one object for the process. */
public final class SmithWaterman extends Algorithm {
    public static final SmithWaterman INSTANCE = new SmithWaterman();

    /** The most letters of a sequence, GKL_SHIM_SMITHWATERMAN_LONGEST. */
    private static final int LONGEST = 1 << 18;

    private volatile SmithWatermanEngine engine;

    private SmithWaterman() {
        super("Smith-Waterman", Setting.SMITHWATERMAN, "not made faster: this run of GATK never "
                + "asked for the native Smith-Waterman (it ended early, the tool has no such step, "
                + "or --smith-waterman is JAVA, the default of GATK before 4.5)");
    }

    @Override
    protected void start(NativeLibrary library) throws IOException, ReflectiveOperationException {
        SmithWatermanEngine candidate = (SmithWatermanEngine) library.instance(
                "org.gklshim.smithwaterman.NativeSmithWaterman");
        SmithWatermanSelfTest.run(candidate);
        engine = candidate;
    }

    /** Logs once which build aligns. */
    public void initialize() {
        started("load").announce(use());
    }

    /**
     * Returns an array for the CIGAR of two sequences.
     *
     * @throws IllegalArgumentException if a sequence is empty or too long
     */
    public byte[] cigarFor(int reference, int alternative) {
        if (reference == 0 || alternative == 0) {
            throw new IllegalArgumentException("a sequence to align is empty");
        }
        if (reference > LONGEST || alternative > LONGEST) {
            throw new IllegalArgumentException("sequences of " + reference + " and " + alternative
                    + " letters cannot be aligned; " + LONGEST + " letters are the most");
        }
        return new byte[2 * (reference + alternative)];
    }

    /** Aligns a sequence to a reference; {@link SmithWatermanEngine#align} says how. */
    public long align(byte[] reference, byte[] alternative, int match, int mismatch, int gapOpen,
            int gapExtend, int overhang, byte[] cigar) {
        return started("align").align(reference, alternative, match, mismatch, gapOpen, gapExtend,
                overhang, cigar);
    }

    /** Returns the offset of a result of {@link #align}. */
    public static int offset(long result) {
        return (int) (result >> 32);
    }

    /** Returns the CIGAR of a result of {@link #align}. */
    @SuppressWarnings("deprecation") // the fastest way to a string of ASCII
    public static String cigar(byte[] cigar, long result) {
        return new String(cigar, 0, 0, (int) result);
    }

    private SmithWatermanEngine started(String called) {
        SmithWatermanEngine started = engine;
        if (started == null) {
            throw new IllegalStateException(called + " was called before a load that succeeded");
        }
        return started;
    }
}
