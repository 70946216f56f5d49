package org.gklshim.smithwaterman;

import java.nio.charset.StandardCharsets;

/** Aligns a pair with known answers, before the native engine is used. */
final class SmithWatermanSelfTest {
    private static final String REFERENCE =
            "GATTACAGATTACAGGCATCGATCAGGCTTAACGATCGGCATTTACGACGACTACGAGCATCACGGATACC";
    private static final String ALTERNATIVE =
            "TTGATTACAGATTCAGGCATCGATCAGGAACTTAACGATCGGCTTTACGACGACTACGTGCATCACGGAT";
    /** For each overhang strategy. Computed from GATK's method, without the engine. */
    private static final String[] CIGARS = {
        "2S11M1D15M2I13M1D27M", "2I11M1D15M2I13M1D27M3D", "2I11M1D15M2I13M1D27M",
        "13M1D15M2I13M1D27M"
    };
    private static final int[] OFFSETS = {0, 0, 0, -2};

    private SmithWatermanSelfTest() {}

    /**
     * Aligns with 16-bit and with 32-bit scores.
     *
     * @throws IllegalStateException if a result is wrong
     * @throws UnsatisfiedLinkError if the native library lacks the engine
     */
    static void run(SmithWatermanEngine engine) {
        byte[] reference = REFERENCE.getBytes(StandardCharsets.ISO_8859_1);
        byte[] alternative = ALTERNATIVE.getBytes(StandardCharsets.ISO_8859_1);
        byte[] cigar = new byte[2 * (reference.length + alternative.length)];
        for (int scale : new int[] {1, 1000}) {
            for (int overhang = 0; overhang < CIGARS.length; overhang++) {
                long result = engine.align(reference, alternative, 200 * scale, -150 * scale,
                        -260 * scale, -11 * scale, overhang, cigar);
                String found = SmithWaterman.cigar(cigar, result);
                int offset = SmithWaterman.offset(result);
                if (!found.equals(CIGARS[overhang]) || offset != OFFSETS[overhang]) {
                    throw new IllegalStateException("the native library aligns wrongly on this "
                            + "machine: " + found + " at " + offset + " for " + CIGARS[overhang]
                            + " at " + OFFSETS[overhang]);
                }
            }
        }
    }
}
