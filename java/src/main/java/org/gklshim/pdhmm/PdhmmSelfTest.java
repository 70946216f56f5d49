package org.gklshim.pdhmm;

import java.nio.charset.StandardCharsets;
import org.gklshim.Region;
import org.gklshim.RegionEngine;

/** Computes a small region with a known answer, before the native engine is used. */
final class PdhmmSelfTest {
    private static final String[] READS = {"ACGTTGCANACGTAC", "TTGCAGACG"};
    private static final String[] HAPLOTYPES = {
        "GGACGTTGCAGACGTACCAT", "GGACGTTGCTAGACGTACCAT", "GGACGTTCAGTGACGTACCAT"
    };
    /** The flags of each haplotype, as pairs of a letter's index and its flags. */
    private static final int[][] FLAGS = {{}, {9, 2 | 4}, {7, 1 | 32, 9, 2, 11, 4}};
    /** Computed from the model in extended precision, without the engine. */
    private static final double[] EXPECTED = {
        -1.3679204244759287, -1.389077903174795, -6.813562159097673,
        -1.3575859679584825, -1.3787551179810174, -8.885743505274656
    };

    private PdhmmSelfTest() {}

    /**
     * Computes the region.
     *
     * @param region an empty region
     * @throws IllegalStateException if a result is wrong
     * @throws UnsatisfiedLinkError if the native library lacks the engine
     */
    static void run(RegionEngine engine, Region region) {
        region.start(READS.length, HAPLOTYPES.length);
        for (String read : READS) {
            byte[][] quals = new byte[4][read.length()];
            for (int i = 0; i < read.length(); i++) {
                quals[0][i] = (byte) (20 + 7 * i % 15);
                quals[1][i] = (byte) (45 - i % 4);
                quals[2][i] = (byte) (40 + i % 5);
                quals[3][i] = (byte) (10 + i % 3);
            }
            region.addRead(read.getBytes(StandardCharsets.ISO_8859_1), quals[0], quals[1],
                    quals[2], quals[3]);
        }
        for (int h = 0; h < HAPLOTYPES.length; h++) {
            byte[] flags = new byte[HAPLOTYPES[h].length()];
            for (int i = 0; i < FLAGS[h].length; i += 2) {
                flags[FLAGS[h][i]] = (byte) FLAGS[h][i + 1];
            }
            region.addHaplotype(HAPLOTYPES[h].getBytes(StandardCharsets.ISO_8859_1), flags);
        }
        double[] computed = new double[EXPECTED.length];
        engine.compute(engine.initialize(true, 1, null), region.sequences(), region.lengths(),
                region.reads(), region.haplotypes(), computed);
        for (int i = 0; i < computed.length; i++) {
            // Written without `>`, so that NaN fails too.
            if (!(Math.abs(computed[i] - EXPECTED[i]) <= 1e-8)) {
                throw new IllegalStateException("the native library computes wrongly on this "
                        + "machine: " + computed[i] + " for " + EXPECTED[i]);
            }
        }
    }
}
