package org.gklshim;

/**
 * What the classes that take the place of Intel's call. Everything is the process's: instances come
 * and go, and some are never told that they are done.
 */
public final class PairHmm {
    /** Scratch memory that a thread keeps for its next region. */
    private static final ThreadLocal<byte[]> SEQUENCES = ThreadLocal.withInitial(() -> new byte[0]);
    private static final ThreadLocal<int[]> LENGTHS = ThreadLocal.withInitial(() -> new int[0]);

    private static boolean tried;
    private static volatile Engine engine;
    private static volatile String swap;
    private static volatile boolean initialized;

    private PairHmm() {}

    /**
     * Loads the native library and proves that it computes; what happened the first time holds for
     * all later calls. A failure is one line in the log.
     *
     * @param swap how our classes took the place of Intel's: "agent" or "class path"
     * @return whether this class can be used; if not, Intel's is to be used
     */
    public static synchronized boolean load(String swap) {
        if (!tried) {
            tried = true;
            if (Settings.get("backend").equals("off")) {
                Log.info("PairHMM: GKL_SHIM_BACKEND=off: Intel GKL is used");
                return false;
            }
            try {
                if (!NativeLibrary.isThere()) {
                    throw new UnsupportedOperationException(
                            "no native library for " + NativeLibrary.platform());
                }
                Engine candidate = NativeLibrary.load();
                Proof.run(candidate);
                PairHmm.swap = swap;
                engine = candidate;
            } catch (UnsatisfiedLinkError | UnsupportedOperationException
                    | IllegalStateException e) {
                Log.warning("PairHMM: Intel GKL is used: " + e.getMessage());
            } catch (Exception | LinkageError | OutOfMemoryError e) {
                Log.warning("PairHMM: Intel GKL is used: " + e);
            }
        }
        return engine != null;
    }

    /**
     * Prepares for computing, and says once in the log with what.
     *
     * @param threads at most so many a region; reduced to the CPUs that the process may use
     * @return what {@link #compute} is to be told
     */
    public static int initialize(boolean useDoublePrecision, int threads) {
        Engine loaded = engine;
        if (loaded == null) {
            throw new IllegalStateException("initialize was called before a load that succeeded");
        }
        initialized = true;
        return loaded.initialize(useDoublePrecision, threads, swap);
    }

    /** Whether anyone has prepared for computing. */
    public static boolean isInitialized() {
        return initialized;
    }

    /** The calling thread's scratch memory for lengths, with room for at least so many. */
    public static int[] lengths(long size) {
        int[] lengths = LENGTHS.get();
        if (lengths.length < size) {
            lengths = new int[roomFor(size)];
            LENGTHS.set(lengths);
        }
        return lengths;
    }

    /** The calling thread's scratch memory for sequences, with room for at least so many bytes. */
    public static byte[] sequences(long size) {
        byte[] sequences = SEQUENCES.get();
        if (sequences.length < size) {
            sequences = new byte[roomFor(size)];
            SEQUENCES.set(sequences);
        }
        return sequences;
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
    public static void compute(int configuration, byte[] sequences, int[] lengths, int reads,
            int haplotypes, double[] likelihoods) {
        engine.compute(configuration, sequences, lengths, reads, haplotypes, likelihoods);
    }

    /** The size to allocate: some more, so that slowly growing regions do not each allocate. */
    private static int roomFor(long size) {
        // The longest array that JVMs allow.
        int most = Integer.MAX_VALUE - 8;
        if (size > most) {
            throw new OutOfMemoryError("PairHMM: a region of " + size + " bytes is too large");
        }
        return (int) Math.min(most, size + size / 2 + 1024);
    }
}
