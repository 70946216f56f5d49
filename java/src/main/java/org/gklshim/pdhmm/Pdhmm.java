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
     * Computes a region.
     *
     * @param configuration the result of {@link #initialize}
     * @param region the reads and haplotypes
     * @param likelihoods receives the log10 likelihoods, ordered by read and then by haplotype
     * @throws NullPointerException if the region has a null array
     * @throws IllegalArgumentException if the region has an empty sequence, arrays of unequal
     *     lengths, a gap quality that is less than 0, or a sequence longer than gkl_shim.h allows
     * @throws OutOfMemoryError if there is not enough memory
     */
    public void compute(int configuration, PdhmmRegion region, double[] likelihoods) {
        engine.compute(configuration, region.sequences(), region.lengths(), region.reads(),
                region.haplotypes(), likelihoods);
    }
}
