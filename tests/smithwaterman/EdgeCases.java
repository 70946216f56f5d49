import com.intel.gkl.smithwaterman.IntelSmithWaterman;
import org.broadinstitute.gatk.nativebindings.smithwaterman.SWNativeAlignerResult;
import org.broadinstitute.gatk.nativebindings.smithwaterman.SWOverhangStrategy;
import org.broadinstitute.gatk.nativebindings.smithwaterman.SWParameters;

/** Calls IntelSmithWaterman with unusual arguments. Prints each answer or the exception's class. */
public final class EdgeCases {
    private static final byte[] REFERENCE = "ACGTACGTTT".getBytes();
    private static final byte[] ALTERNATIVE = "ACGTCGTT".getBytes();
    private static final SWParameters USUAL = new SWParameters(200, -150, -260, -11);
    private static final SWOverhangStrategy CLIP = SWOverhangStrategy.SOFTCLIP;

    private static IntelSmithWaterman aligner = new IntelSmithWaterman();

    public static void main(String[] arguments) {
        System.out.println("load\t" + aligner.load(null));
        align("null reference", null, ALTERNATIVE, USUAL, CLIP);
        align("null alternative", REFERENCE, null, USUAL, CLIP);
        align("null parameters", REFERENCE, ALTERNATIVE, null, CLIP);
        align("null strategy", REFERENCE, ALTERNATIVE, USUAL, null);
        align("empty reference", new byte[0], ALTERNATIVE, USUAL, CLIP);
        align("empty alternative", REFERENCE, new byte[0], USUAL, CLIP);
        align("both empty", new byte[0], new byte[0], USUAL, CLIP);
        for (SWOverhangStrategy strategy : SWOverhangStrategy.values()) {
            align("usual " + strategy, REFERENCE, ALTERNATIVE, USUAL, strategy);
            align("one letter " + strategy, new byte[] {65}, new byte[] {65}, USUAL, strategy);
            align("another letter " + strategy, new byte[] {65}, new byte[] {66}, USUAL, strategy);
        }
        align("match 65536", REFERENCE, ALTERNATIVE, new SWParameters(65536, -1, -1, -1), CLIP);
        align("match 65537", REFERENCE, ALTERNATIVE, new SWParameters(65537, -1, -1, -1), CLIP);
        align("zeros", REFERENCE, ALTERNATIVE, new SWParameters(0, 0, 0, 0), CLIP);
        int lowest = Integer.MIN_VALUE;
        align("lowest penalties", REFERENCE, ALTERNATIVE,
                new SWParameters(1, lowest, lowest, lowest), CLIP);
        // The bindings 1.0.0 and 1.1.0 refuse these.
        scores("a match that costs", -1, -2, -3, -1);
        scores("a mismatch that pays", 1, 2, -3, -1);
        scores("a gap that pays to open", 1, -1, 3, -1);
        scores("a gap that pays to extend", 1, -1, -3, 1);
        align("32767 letters", letters(32767), letters(100), USUAL, CLIP);
        align("32768 letters", letters(32768), letters(100), USUAL, CLIP);
        align("262145 letters", letters(262145), letters(100), USUAL, CLIP);
        align("a longer alternative", letters(100), letters(5000), USUAL, CLIP);
        align("any bytes", new byte[] {-1, -2, 0, 5, 127, -128}, new byte[] {-1, -2, 5, 127, -128},
                USUAL, CLIP);
        aligner.close();
        align("after close", REFERENCE, ALTERNATIVE, USUAL, CLIP);
        aligner.close();
        aligner = new IntelSmithWaterman();
        align("another instance, not loaded", REFERENCE, ALTERNATIVE, USUAL, CLIP);
        for (SWOverhangStrategy strategy : SWOverhangStrategy.values()) {
            System.out.println(strategy + "\t" + aligner.getStrategy(strategy));
        }
    }

    private static void scores(String name, int match, int mismatch, int open, int extend) {
        SWParameters parameters;
        try {
            parameters = new SWParameters(match, mismatch, open, extend);
        } catch (IllegalArgumentException e) {
            System.out.println(name + "\trefused by the bindings");
            return;
        }
        align(name, REFERENCE, ALTERNATIVE, parameters, CLIP);
    }

    private static void align(String name, byte[] reference, byte[] alternative,
            SWParameters parameters, SWOverhangStrategy strategy) {
        String answer;
        try {
            SWNativeAlignerResult result =
                    aligner.align(reference, alternative, parameters, strategy);
            answer = result.alignment_offset + " " + result.cigar;
        } catch (RuntimeException | Error e) {
            answer = e.getClass().getName();
        }
        System.out.println(name + "\t" + answer);
    }

    private static byte[] letters(int count) {
        byte[] letters = new byte[count];
        for (int i = 0; i < count; i++) {
            letters[i] = (byte) "ACGT".charAt((i * 7 + i / 5) & 3);
        }
        return letters;
    }
}
