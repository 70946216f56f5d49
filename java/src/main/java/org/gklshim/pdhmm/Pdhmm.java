package org.gklshim.pdhmm;

import java.io.IOException;
import org.gklshim.NativeLibrary;
import org.gklshim.Region;
import org.gklshim.RegionAlgorithm;
import org.gklshim.RegionEngine;
import org.gklshim.Setting;

/** Computes PDHMM for the classes that replace Intel's and GATK's. One object for the process. */
public final class Pdhmm extends RegionAlgorithm {
    public static final Pdhmm INSTANCE = new Pdhmm();

    private Pdhmm() {
        super("PDHMM", Setting.PDHMM, null, "haplotypeBases", "haplotypePDBases");
    }

    @Override
    protected void start(NativeLibrary library) throws IOException, ReflectiveOperationException {
        RegionEngine engine = (RegionEngine) library.instance("org.gklshim.pdhmm.NativePdhmm");
        PdhmmSelfTest.run(engine, newRegion());
        use(engine);
    }

    /** Prepares the engine, as the other method of this name does. */
    public int initialize(int threads) {
        return initialize(true, threads);
    }

    /**
     * Starts a region with a call's arguments, except the data of its reads and haplotypes.
     *
     * @return the calling thread's region; null if there is nothing to compute
     * @throws NullPointerException if an argument, a read or a haplotype is null
     * @throws IllegalArgumentException if the likelihoods are not as many as the pairs
     */
    public Region region(Object[] reads, Object[] haplotypes, double[] likelihoods) {
        requireArguments(reads, haplotypes, likelihoods);
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
}
