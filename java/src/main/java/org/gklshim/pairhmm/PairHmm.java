package org.gklshim.pairhmm;

import java.io.IOException;
import org.gklshim.NativeLibrary;
import org.gklshim.Setting;
import org.gklshim.hmm.Region;
import org.gklshim.hmm.RegionAlgorithm;
import org.gklshim.hmm.RegionEngine;
import org.gklshim.hmm.RegionSelfTest;

/**
 * Computes PairHMM for the classes that replace Intel's. There is one object for the process,
 * because HaplotypeCallerSpark creates many instances of those classes and never releases them.
 */
public final class PairHmm extends RegionAlgorithm {
    public static final PairHmm INSTANCE = new PairHmm();

    /** Those of the self-test, computed from the model in double precision. */
    private static final double[] LIKELIHOODS = {
        -1.367920423733158, -5.524060315343643, -17.45341665023159,
        -1.3575859675274484, -5.711835899836438, -11.51599402250019
    };

    private PairHmm() {
        super("PairHMM", Setting.PAIRHMM, "not made faster: this run of GATK never asked for the "
                + "native PairHMM (it ended early, the tool has no PairHMM, or its options choose "
                + "Java or a flow-based engine)", "haplotypeBases");
    }

    @Override
    protected void start(NativeLibrary library) throws IOException, ReflectiveOperationException {
        RegionEngine engine =
                (RegionEngine) library.instance("org.gklshim.pairhmm.NativePairHmm");
        RegionSelfTest test = new RegionSelfTest(engine, newRegion(), LIKELIHOODS,
                new byte[][] {RegionSelfTest.letters("GGACGTTGCAGACGTACCAT")},
                new byte[][] {RegionSelfTest.letters("GGACGTTGCTAGACGTACCAT")},
                new byte[][] {RegionSelfTest.letters("CATTACA")});
        test.run(false, 1e-5);
        test.run(true, 1e-8);
        use(engine);
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
        requireArguments(reads, haplotypes, likelihoods);
        if (reads.length == 0 || haplotypes.length == 0) {
            return null;
        }
        requireInitialized(configuration);
        long pairs = (long) reads.length * haplotypes.length;
        if (pairs > likelihoods.length) {
            throw new IllegalArgumentException("likelihoods has room for " + likelihoods.length
                    + " values, " + reads.length + " reads x " + haplotypes.length
                    + " haplotypes need " + pairs);
        }
        requireElements("read", reads);
        requireElements("haplotype", haplotypes);
        return region(reads.length, haplotypes.length);
    }
}
