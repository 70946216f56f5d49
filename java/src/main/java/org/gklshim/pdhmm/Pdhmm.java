package org.gklshim.pdhmm;

import java.io.IOException;
import org.gklshim.Algorithm;
import org.gklshim.NativeLibrary;
import org.gklshim.Region;
import org.gklshim.Setting;

/** Computes PDHMM for the classes that replace Intel's and GATK's. One object for the process. */
public final class Pdhmm extends Algorithm {
    public static final Pdhmm INSTANCE = new Pdhmm();

    private final ThreadLocal<Region> regions = new ThreadLocal<Region>() {
        @Override
        protected Region initialValue() {
            return newRegion();
        }
    };

    private volatile PdhmmEngine engine;

    private Pdhmm() {
        super("PDHMM", Setting.PDHMM, null);
    }

    @Override
    protected void start(NativeLibrary library) throws IOException, ReflectiveOperationException {
        PdhmmEngine candidate =
                (PdhmmEngine) library.instance("org.gklshim.pdhmm.NativePdhmm");
        PdhmmSelfTest.run(candidate);
        engine = candidate;
    }

    /**
     * Prepares the engine, and logs once which engine computes.
     *
     * @param threads the most threads for one region, limited to the CPUs that the process may use
     * @return the configuration for {@link #compute}
     */
    public int initialize(int threads) {
        PdhmmEngine started = engine;
        if (started == null) {
            throw new IllegalStateException("initialize was called before a load that succeeded");
        }
        return started.initialize(threads, use());
    }

    static Region newRegion() {
        return new Region("PDHMM", "haplotypeBases", "haplotypePDBases");
    }

    /**
     * Returns the calling thread's region, to be filled and given to {@link #compute}.
     *
     * @throws OutOfMemoryError if there are more reads and haplotypes than an array can hold
     */
    public Region region(int reads, int haplotypes) {
        Region region = regions.get();
        region.start(reads, haplotypes);
        return region;
    }

    /**
     * Starts a region with a call's arguments, except the data of its reads and haplotypes.
     *
     * @return the calling thread's region; null if there is nothing to compute
     * @throws NullPointerException if an argument, a read or a haplotype is null
     * @throws IllegalArgumentException if the likelihoods are not as many as the pairs
     */
    public Region region(Object[] reads, Object[] haplotypes, double[] likelihoods) {
        if (reads == null || haplotypes == null || likelihoods == null) {
            throw new NullPointerException("reads, haplotypes or likelihoods is null");
        }
        long pairs = (long) reads.length * haplotypes.length;
        if (pairs != likelihoods.length) {
            throw new IllegalArgumentException("likelihoods has " + likelihoods.length
                    + " elements for " + reads.length + " reads and " + haplotypes.length
                    + " haplotypes");
        }
        requireElements("read", reads);
        requireElements("haplotype", haplotypes);
        return pairs == 0 ? null : region(reads.length, haplotypes.length);
    }

    /**
     * Computes a region.
     *
     * @param configuration the result of {@link #initialize}, negative if it was not called
     * @param region the result of {@link #region}, with all reads and haplotypes added
     * @param likelihoods receives the log10 likelihoods, ordered by read and then by haplotype
     * @throws IllegalArgumentException if the region has a gap quality that is less than 0, or a
     *     sequence longer than gkl_shim.h allows
     * @throws OutOfMemoryError if there is not enough memory
     */
    public void compute(int configuration, Region region, double[] likelihoods) {
        if (configuration < 0) {
            throw new IllegalStateException("computeLikelihoods was called before initialize");
        }
        try {
            engine.compute(configuration, region.sequences(), region.lengths(), region.reads(),
                    region.haplotypes(), likelihoods);
        } finally {
            region.forget();
        }
    }
}
