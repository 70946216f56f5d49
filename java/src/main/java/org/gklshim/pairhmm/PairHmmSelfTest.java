package org.gklshim.pairhmm;

import java.nio.charset.StandardCharsets;
import org.gklshim.RegionEngine;

/** Computes a small region with a known answer, before the native engine is used. */
final class PairHmmSelfTest {
    private static final String[] READS = {"ACGTTGCANACGTAC", "TTGCAGACG"};
    private static final String[] HAPLOTYPES = {
        "GGACGTTGCAGACGTACCAT", "GGACGTTGCTAGACGTACCAT", "CATTACA"
    };
    /** Computed from the model in double precision, without the engine. */
    private static final double[] EXPECTED = {
        -1.367920423733158, -5.524060315343643, -17.45341665023159,
        -1.3575859675274484, -5.711835899836438, -11.51599402250019
    };

    private PairHmmSelfTest() {}

    /**
     * Computes the region in both precisions.
     *
     * @throws IllegalStateException if a result is wrong
     * @throws UnsatisfiedLinkError if the native library lacks the engine
     */
    static void run(RegionEngine engine) {
        StringBuilder[] tracks = new StringBuilder[5];
        for (int i = 0; i < tracks.length; i++) {
            tracks[i] = new StringBuilder();
        }
        int[] lengths = new int[READS.length + HAPLOTYPES.length];
        int sequence = 0;
        for (String read : READS) {
            lengths[sequence++] = read.length();
            tracks[0].append(read);
            for (int i = 0; i < read.length(); i++) {
                tracks[1].append((char) (20 + 7 * i % 15));
                tracks[2].append((char) (45 - i % 4));
                tracks[3].append((char) (40 + i % 5));
                tracks[4].append((char) (10 + i % 3));
            }
        }
        StringBuilder packed = new StringBuilder();
        for (StringBuilder track : tracks) {
            packed.append(track);
        }
        for (String haplotype : HAPLOTYPES) {
            lengths[sequence++] = haplotype.length();
            packed.append(haplotype);
        }
        byte[] sequences = packed.toString().getBytes(StandardCharsets.ISO_8859_1);
        check(engine, sequences, lengths, false, 1e-5);
        check(engine, sequences, lengths, true, 1e-8);
    }

    private static void check(RegionEngine engine, byte[] sequences, int[] lengths,
            boolean useDoublePrecision, double tolerance) {
        double[] computed = new double[EXPECTED.length];
        int configuration = engine.initialize(useDoublePrecision, 1, null);
        engine.compute(configuration, sequences, lengths, READS.length, HAPLOTYPES.length,
                computed);
        for (int i = 0; i < computed.length; i++) {
            // Written without `>`, so that NaN fails too.
            if (!(Math.abs(computed[i] - EXPECTED[i]) <= tolerance)) {
                throw new IllegalStateException("the native library computes wrongly on this "
                        + "machine: " + computed[i] + " for " + EXPECTED[i] + " in "
                        + (useDoublePrecision ? "double" : "single") + " precision");
            }
        }
    }
}
