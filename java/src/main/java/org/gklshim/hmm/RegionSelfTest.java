package org.gklshim.hmm;

import java.nio.charset.StandardCharsets;

/** A small region with known likelihoods, which a native engine computes before it is used. */
public final class RegionSelfTest {
    private static final String[] READS = {"ACGTTGCANACGTAC", "TTGCAGACG"};

    private final RegionEngine engine;
    private final Region region;
    private final double[] expected;

    /**
     * Makes the region.
     *
     * @param region an empty region
     * @param expected the likelihoods of both reads, computed from the model without the engine
     * @param haplotypes the tracks of each haplotype, bases first
     */
    public RegionSelfTest(RegionEngine engine, Region region, double[] expected,
            byte[][]... haplotypes) {
        this.engine = engine;
        this.region = region;
        this.expected = expected;
        region.start(READS.length, haplotypes.length);
        for (String read : READS) {
            byte[][] quals = new byte[4][read.length()];
            for (int i = 0; i < read.length(); i++) {
                quals[0][i] = (byte) (20 + 7 * i % 15);
                quals[1][i] = (byte) (45 - i % 4);
                quals[2][i] = (byte) (40 + i % 5);
                quals[3][i] = (byte) (10 + i % 3);
            }
            region.addRead(letters(read), quals[0], quals[1], quals[2], quals[3]);
        }
        for (byte[][] tracks : haplotypes) {
            region.addHaplotype(tracks);
        }
    }

    /** Returns a sequence as an array. */
    public static byte[] letters(String sequence) {
        return sequence.getBytes(StandardCharsets.ISO_8859_1);
    }

    /**
     * Computes the region.
     *
     * @throws IllegalStateException if a result is wrong
     * @throws UnsatisfiedLinkError if the native library lacks the engine
     */
    public void run(boolean useDoublePrecision, double tolerance) {
        double[] computed = new double[expected.length];
        engine.compute(engine.initialize(useDoublePrecision, 1, null), region.sequences(),
                region.lengths(), region.reads(), region.haplotypes(), computed);
        for (int i = 0; i < computed.length; i++) {
            // Written without `>`, so that NaN fails too.
            if (!(Math.abs(computed[i] - expected[i]) <= tolerance)) {
                throw new IllegalStateException("the native library computes wrongly on this "
                        + "machine: " + computed[i] + " for " + expected[i] + " in "
                        + (useDoublePrecision ? "double" : "single") + " precision");
            }
        }
    }
}
