package org.gklshim.pairhmm;

import java.io.IOException;
import org.gklshim.Algorithm;
import org.gklshim.NativeLibrary;
import org.gklshim.Region;
import org.gklshim.Setting;

/**
 * Computes PairHMM for the classes that replace Intel's. There is one object for the process,
 * because HaplotypeCallerSpark creates many instances of those classes and never releases them.
 */
public final class PairHmm extends Algorithm {
    public static final PairHmm INSTANCE = new PairHmm();

    private final ThreadLocal<Region> regions = new ThreadLocal<Region>() {
        @Override
        protected Region initialValue() {
            return new Region("PairHMM", "haplotypeBases");
        }
    };

    private volatile PairHmmEngine engine;

    private PairHmm() {
        super("PairHMM", Setting.PAIRHMM, "not made faster: this run of GATK never asked for the "
                + "native PairHMM (it ended early, the tool has no PairHMM, or its options choose "
                + "Java or a flow-based engine)");
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

    /**
     * Starts a region with a call's arguments, except the data of its reads and haplotypes.
     *
     * @param configuration the result of {@link #initialize}, negative if it was not called
     * @param reads GATK's reads
     * @param haplotypes GATK's haplotypes
     * @param likelihoods receives the log10 likelihoods
     * @return the calling thread's region, to be filled and given to {@link #compute}; null if
     *     there is nothing to compute
     * @throws NullPointerException if an argument is null
     * @throws IllegalArgumentException if there is no room for the likelihoods
     */
    public Region region(int configuration, Object[] reads, Object[] haplotypes,
            double[] likelihoods) {
        if (reads == null || haplotypes == null || likelihoods == null) {
            throw new NullPointerException("reads, haplotypes or likelihoods is null");
        }
        if (reads.length == 0 || haplotypes.length == 0) {
            return null;
        }
        if (configuration < 0) {
            throw new IllegalStateException("computeLikelihoods was called before initialize");
        }
        long pairs = (long) reads.length * haplotypes.length;
        if (pairs > likelihoods.length) {
            throw new IllegalArgumentException("likelihoods has room for " + likelihoods.length
                    + " values, " + reads.length + " reads x " + haplotypes.length
                    + " haplotypes need " + pairs);
        }
        requireElements("read", reads);
        requireElements("haplotype", haplotypes);
        Region region = regions.get();
        region.start(reads.length, haplotypes.length);
        return region;
    }

    /**
     * Computes a region.
     *
     * @param region the result of {@link #region}, with all reads and haplotypes added
     * @param likelihoods receives the log10 likelihoods, ordered by read and then by haplotype
     * @throws IllegalArgumentException if a sequence is longer than gkl_shim.h allows
     * @throws OutOfMemoryError if there is not enough memory
     */
    public void compute(int configuration, Region region, double[] likelihoods) {
        try {
            engine.compute(configuration, region.sequences(), region.lengths(), region.reads(),
                    region.haplotypes(), likelihoods);
        } finally {
            region.forget();
        }
    }
}
