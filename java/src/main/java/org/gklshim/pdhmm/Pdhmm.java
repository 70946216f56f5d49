package org.gklshim.pdhmm;

import java.io.IOException;
import org.gklshim.Algorithm;
import org.gklshim.NativeLibrary;

/** Computes PDHMM for the classes that replace Intel's and GATK's. One object for the process. */
public final class Pdhmm extends Algorithm {
    public static final Pdhmm INSTANCE = new Pdhmm();

    private volatile PdhmmEngine engine;

    private Pdhmm() {
        super("PDHMM", null);
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

    /**
     * Checks the arguments of a call, except the data of its reads and haplotypes.
     *
     * @return an empty region; null if there is nothing to compute
     * @throws NullPointerException if an argument, a read or a haplotype is null
     * @throws IllegalArgumentException if the likelihoods are not as many as the pairs
     */
    public static PdhmmRegion region(Object[] reads, Object[] haplotypes, double[] likelihoods) {
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
        return pairs == 0 ? null : new PdhmmRegion();
    }

    /**
     * Computes a region.
     *
     * @param configuration the result of {@link #initialize}, negative if it was not called
     * @param region the reads and haplotypes
     * @param likelihoods receives the log10 likelihoods, ordered by read and then by haplotype
     * @throws NullPointerException if the region has a null array
     * @throws IllegalArgumentException if the region has an empty sequence, arrays of unequal
     *     lengths, a gap quality that is less than 0, or a sequence longer than gkl_shim.h allows
     * @throws OutOfMemoryError if there is not enough memory
     */
    public void compute(int configuration, PdhmmRegion region, double[] likelihoods) {
        if (configuration < 0) {
            throw new IllegalStateException("computeLikelihoods was called before initialize");
        }
        engine.compute(configuration, region.sequences(), region.lengths(), region.reads(),
                region.haplotypes(), likelihoods);
    }
}
