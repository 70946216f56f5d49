package org.gklshim.pdhmm;

import java.io.IOException;
import org.gklshim.NativeLibrary;
import org.gklshim.Setting;
import org.gklshim.hmm.Region;
import org.gklshim.hmm.RegionAlgorithm;
import org.gklshim.hmm.RegionEngine;
import org.gklshim.hmm.RegionSelfTest;

/** Computes PDHMM for the classes that replace Intel's and GATK's. One object for the process. */
public final class Pdhmm extends RegionAlgorithm {
    public static final Pdhmm INSTANCE = new Pdhmm();

    /** Those of the self-test, computed from the model in extended precision. */
    private static final double[] LIKELIHOODS = {
        -1.3679204244759287, -1.389077903174795, -6.813562159097673,
        -1.3575859679584825, -1.3787551179810174, -8.885743505274656
    };

    private Pdhmm() {
        super("PDHMM", Setting.PDHMM, null, "haplotypeBases", "haplotypePDBases");
    }

    @Override
    protected void start(NativeLibrary library) throws IOException, ReflectiveOperationException {
        RegionEngine engine = (RegionEngine) library.instance("org.gklshim.pdhmm.NativePdhmm");
        new RegionSelfTest(engine, newRegion(), LIKELIHOODS,
                haplotype("GGACGTTGCAGACGTACCAT"),
                haplotype("GGACGTTGCTAGACGTACCAT", 9, 2 | 4),
                haplotype("GGACGTTCAGTGACGTACCAT", 7, 1 | 32, 9, 2, 11, 4)).run(true, 1e-8);
        use(engine);
    }

    /**
     * Returns a haplotype's letters and flags.
     *
     * @param flags the index of a letter and its flags, in turn
     */
    private static byte[][] haplotype(String letters, int... flags) {
        byte[][] tracks = {RegionSelfTest.letters(letters), new byte[letters.length()]};
        for (int i = 0; i < flags.length; i += 2) {
            tracks[1][flags[i]] = (byte) flags[i + 1];
        }
        return tracks;
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
