package org.gklshim.pairhmm;

import java.io.IOException;
import org.gklshim.NativeLibrary;
import org.gklshim.Algorithm;

/**
 * What the classes that take the place of Intel's PairHMM call. All of it is the process's:
 * instances come and go, and HaplotypeCallerSpark never says that one is done.
 */
public final class PairHmm extends Algorithm {
    public static final PairHmm INSTANCE = new PairHmm();

    /** Memory that a thread keeps for its next region. */
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
                + "made faster (no PairHMM in the tool, PDHMM, a flow-based engine, or a Java "
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
     * Prepares for computing, and says once in the log with what.
     *
     * @param threads the most for one region; reduced to the CPUs that the process may use
     * @return the configuration for {@link #compute}
     */
    public int initialize(boolean useDoublePrecision, int threads) {
        PairHmmEngine started = engine;
        if (started == null) {
            throw new IllegalStateException("initialize was called before a load that succeeded");
        }
        return started.initialize(useDoublePrecision, threads, use());
    }

    /** The calling thread's scratch memory for lengths, with room for at least {@code size}. */
    public int[] lengths(long size) {
        Scratch own = scratch.get();
        if (own.lengths.length < size) {
            own.lengths = new int[roomFor(size)];
        }
        return own.lengths;
    }

    /** The calling thread's scratch memory for sequences, of at least {@code size} bytes. */
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
     * @param configuration from {@link #initialize}
     * @param sequences bases of all reads, then their base qualities, insertion gap-open, deletion
     *     gap-open and gap-continuation qualities, then the bases of all haplotypes
     * @param lengths of the reads, then of the haplotypes; all 1 or more
     * @param likelihoods the log10 likelihoods, reads outer, haplotypes inner
     */
    public void compute(int configuration, byte[] sequences, int[] lengths, int reads,
            int haplotypes, double[] likelihoods) {
        engine.compute(configuration, sequences, lengths, reads, haplotypes, likelihoods);
    }

    /** The size to allocate: half as much again, so that growing regions do not each allocate. */
    private static int roomFor(long size) {
        // The longest array that JVMs allow.
        int most = Integer.MAX_VALUE - 8;
        if (size > most) {
            throw new OutOfMemoryError("PairHMM: a region of " + size + " bytes is too large");
        }
        return (int) Math.min(most, size + size / 2 + 1024);
    }
}
