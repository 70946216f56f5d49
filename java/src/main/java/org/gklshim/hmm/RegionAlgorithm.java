package org.gklshim.hmm;

import java.lang.ref.WeakReference;
import org.gklshim.Algorithm;
import org.gklshim.Setting;

/** An algorithm that computes the likelihoods of a region's reads and haplotypes. */
public abstract class RegionAlgorithm extends Algorithm {
    private final String[] haplotypeTracks;
    /**
     * Each thread's region. The references are weak, because a thread may live longer than the class
     * loader of these classes. Garbage collection then frees both.
     */
    private final ThreadLocal<WeakReference<Region>> regions = new ThreadLocal<>();

    private volatile RegionEngine engine;

    /** @param haplotypeTracks the names of a haplotype's arrays, for errors */
    protected RegionAlgorithm(String name, Setting setting, String idleText,
            String... haplotypeTracks) {
        super(name, setting, idleText);
        this.haplotypeTracks = haplotypeTracks;
    }

    /** Computes with an engine that has passed its self-test. */
    protected final void use(RegionEngine tested) {
        engine = tested;
    }

    /** Makes an empty region of this algorithm. */
    protected final Region newRegion() {
        return new Region(name, haplotypeTracks);
    }

    /**
     * Prepares the engine, and logs once which engine computes.
     *
     * @param threads the most threads for one region, limited to the CPUs that the process may use
     * @return the configuration for {@link #compute}
     */
    public final int initialize(boolean useDoublePrecision, int threads) {
        RegionEngine started = engine;
        if (started == null) {
            throw new IllegalStateException("initialize was called before a load that succeeded");
        }
        return started.initialize(useDoublePrecision, threads, use());
    }

    /**
     * Returns the calling thread's region, to be filled and given to {@link #compute}.
     *
     * @throws OutOfMemoryError if there are more reads and haplotypes than an array can hold
     */
    public final Region region(int reads, int haplotypes) {
        WeakReference<Region> kept = regions.get();
        Region region = kept == null ? null : kept.get();
        if (region == null) {
            region = newRegion();
            regions.set(new WeakReference<>(region));
        }
        region.start(reads, haplotypes);
        return region;
    }

    /**
     * Checks that the arguments of a call are there.
     *
     * @throws NullPointerException if an argument is null
     */
    protected static void requireArguments(Object[] reads, Object[] haplotypes,
            double[] likelihoods) {
        if (reads == null || haplotypes == null || likelihoods == null) {
            throw new NullPointerException("reads, haplotypes or likelihoods is null");
        }
    }

    /**
     * Checks an array of GATK's reads or haplotypes.
     *
     * @throws NullPointerException if an element is null
     */
    protected static void requireElements(String kind, Object[] array) {
        for (int i = 0; i < array.length; i++) {
            if (array[i] == null) {
                throw new NullPointerException(kind + " " + i + " is null");
            }
        }
    }

    /**
     * Checks that {@link #initialize} was called.
     *
     * @param configuration its result, negative if it was not called
     */
    protected static void requireInitialized(int configuration) {
        if (configuration < 0) {
            throw new IllegalStateException("computeLikelihoods was called before initialize");
        }
    }

    /**
     * Computes a region.
     *
     * @param configuration the result of {@link #initialize}, negative if it was not called
     * @param region the result of {@link #region}, with all reads and haplotypes added
     * @param likelihoods receives the log10 likelihoods, ordered by read and then by haplotype
     * @throws IllegalArgumentException if a sequence is longer than gkl_shim.h allows, or if a gap
     *     quality of PDHMM is less than 0
     * @throws OutOfMemoryError if there is not enough memory
     */
    public final void compute(int configuration, Region region, double[] likelihoods) {
        requireInitialized(configuration);
        try {
            engine.compute(configuration, region.sequences(), region.lengths(), region.reads(),
                    region.haplotypes(), likelihoods);
        } finally {
            region.forget();
        }
    }
}
