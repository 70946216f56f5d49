import com.intel.gkl.smithwaterman.IntelSmithWaterman;
import java.io.BufferedReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.broadinstitute.gatk.nativebindings.smithwaterman.SWNativeAlignerResult;
import org.broadinstitute.gatk.nativebindings.smithwaterman.SWOverhangStrategy;
import org.broadinstitute.gatk.nativebindings.smithwaterman.SWParameters;
import org.broadinstitute.hellbender.utils.smithwaterman.SmithWatermanAlignment;
import org.broadinstitute.hellbender.utils.smithwaterman.SmithWatermanJavaAligner;

/**
 * Aligns every pair of a file with GATK's Java aligner and with the class IntelSmithWaterman, in
 * one JVM. Both answers of a pair become a line of the output.
 *
 * <p>{@code java AlignPairs PAIRS OUTPUT THREADS}: the threads each align all pairs with one
 * instance of IntelSmithWaterman.
 */
public final class AlignPairs {
    public static void main(String[] arguments) throws Exception {
        List<byte[][]> sequences = new ArrayList<>();
        List<SWParameters> parameters = new ArrayList<>();
        List<SWOverhangStrategy> strategies = new ArrayList<>();
        try (BufferedReader reader = Files.newBufferedReader(
                Paths.get(arguments[0]), StandardCharsets.ISO_8859_1)) {
            for (String line; (line = reader.readLine()) != null; ) {
                String[] fields = line.split("\t");
                sequences.add(new byte[][] {fields[0].getBytes(StandardCharsets.ISO_8859_1),
                    fields[1].getBytes(StandardCharsets.ISO_8859_1)});
                String[] numbers = fields[2].split(",");
                parameters.add(new SWParameters(Integer.parseInt(numbers[0]),
                        Integer.parseInt(numbers[1]), Integer.parseInt(numbers[2]),
                        Integer.parseInt(numbers[3])));
                strategies.add(SWOverhangStrategy.valueOf(fields[3].toUpperCase(Locale.ROOT)));
            }
        }
        IntelSmithWaterman nativeAligner = new IntelSmithWaterman();
        if (!nativeAligner.load(null)) {
            throw new IllegalStateException("IntelSmithWaterman does not load");
        }
        int threads = Integer.parseInt(arguments[2]);
        String[][] found = new String[threads][sequences.size()];
        List<Thread> running = new ArrayList<>();
        List<Throwable> failures = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            String[] own = found[t];
            Thread thread = new Thread(() -> {
                for (int i = 0; i < own.length; i++) {
                    SWNativeAlignerResult result = nativeAligner.align(sequences.get(i)[0],
                            sequences.get(i)[1], parameters.get(i), strategies.get(i));
                    own[i] = result.alignment_offset + "\t" + result.cigar;
                }
            });
            thread.setUncaughtExceptionHandler((dead, failure) -> failures.add(failure));
            thread.start();
            running.add(thread);
        }
        for (Thread thread : running) {
            thread.join();
        }
        if (!failures.isEmpty()) {
            throw new IllegalStateException(failures.get(0));
        }
        nativeAligner.close();
        SmithWatermanJavaAligner javaAligner = SmithWatermanJavaAligner.getInstance();
        try (PrintWriter output = new PrintWriter(arguments[1])) {
            for (int i = 0; i < sequences.size(); i++) {
                SmithWatermanAlignment expected = javaAligner.align(sequences.get(i)[0],
                        sequences.get(i)[1], parameters.get(i), strategies.get(i));
                output.print(expected.getAlignmentOffset() + "\t" + expected.getCigar());
                for (String[] own : found) {
                    output.print("\t" + own[i]);
                }
                output.print("\n");
            }
        }
    }
}
