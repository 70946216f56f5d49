package org.gklshim.pairhmm;

import java.io.IOException;
import org.gklshim.NativeLibrary;
import org.gklshim.Algorithm;

/**
 * Computes PairHMM for the classes that replace Intel's. There is one object for the process,
 * because HaplotypeCallerSpark creates many instances of those classes and never releases them.
 */
public final class PairHmm extends Algorithm {
    public static final PairHmm INSTANCE = new PairHmm();

    /** Arrays that a thread keeps for its next region. */
    private static final class Scratch {
        byte[] sequences = new byte[0];
        int[] lengths = new int[0];
    }

    private final ThreadLocal<Scratch> scratch = new ThreadLocal<Scratch>() {
        @Override
        protected Scratch initialValue() {
            return new Scratch();
        }
    };

    private volatile PairHmmEngine engine;

    private PairHmm() {
        super("PairHMM", "this run of GATK never asked for the native PairHMM, so nothing was "
                + "made faster (no PairHMM in the tool, a flow-based engine, or a Java "
                + "implementation)");
    }

    @Override
    protected void start(NativeLibrary library) throws IOException, ReflectiveOperationException {
        PairHmmEngine candidate =
                (PairHmmEngine) library.instance("org.gklshim.pairhmm.NativePairHmm");
        PairHmmSelfTest.run(candidate);
        engine = candidate;
    }

    /**
     * Prepares the engine, and logs once which engine computes.
     *
     * @param threads the most threads for one region, limited to the CPUs that the process may use
     * @return the configuration for {@link #compute}
     */
    public int initialize(boolean useDoublePrecision, int threads) {
        PairHmmEngine started = engine;
        if (started == null) {
            throw new IllegalStateException("initialize was called before a load that succeeded");
        }
        return started.initialize(useDoublePrecision, threads, use());
    }

    /** Returns the calling thread's array for lengths, with at least {@code size} elements. */
    public int[] lengths(long size) {
        Scratch own = scratch.get();
        if (own.lengths.length < size) {
            own.lengths = new int[roomFor(size)];
        }
        return own.lengths;
    }

    /** Returns the calling thread's array for sequences, with at least {@code size} bytes. */
    public byte[] sequences(long size) {
        Scratch own = scratch.get();
        if (own.sequences.length < size) {
            own.sequences = new byte[roomFor(size)];
        }
        return own.sequences;
    }

    /**
     * Computes one region.
     *
     * @param configuration the result of {@link #initialize}
     * @param sequences the bases of all reads, then their base, insertion gap-open, deletion
     *     gap-open and gap-continuation qualities, then the bases of all haplotypes
     * @param lengths the lengths of the reads and then of the haplotypes, all at least 1
     * @param likelihoods receives the log10 likelihoods, ordered by read and then by haplotype
     */
    public void compute(int configuration, byte[] sequences, int[] lengths, int reads,
            int haplotypes, double[] likelihoods) {
        engine.compute(configuration, sequences, lengths, reads, haplotypes, likelihoods);
    }

    /** Returns 1.5 times a size, so that slowly growing regions do not allocate each time. */
    private static int roomFor(long size) {
        // The longest array that a JVM allows.
        int most = Integer.MAX_VALUE - 8;
        if (size > most) {
            throw new OutOfMemoryError("PairHMM: a region of " + size + " bytes is too large");
        }
        return (int) Math.min(most, size + size / 2 + 1024);
    }
}
