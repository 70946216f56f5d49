import com.intel.gkl.smithwaterman.IntelSmithWaterman;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.broadinstitute.gatk.nativebindings.smithwaterman.SWNativeAlignerResult;
import org.broadinstitute.gatk.nativebindings.smithwaterman.SWOverhangStrategy;
import org.broadinstitute.gatk.nativebindings.smithwaterman.SWParameters;
import org.gklshim.bench.Times;

/** One call of Smith-Waterman for each line of a file: sequences, scores and a strategy. */
public final class SmithWatermanTimes extends Times {
    private static final class Pair {
        byte[] reference;
        byte[] alternative;
        SWParameters parameters;
        SWOverhangStrategy strategy;
    }

    private final IntelSmithWaterman kernel = loaded(new IntelSmithWaterman());
    private final List<Pair> pairs = new ArrayList<>();
    private final SWNativeAlignerResult[] alignments;

    private SmithWatermanTimes(Path path) throws IOException {
        for (String line : Files.readAllLines(path, StandardCharsets.ISO_8859_1)) {
            String[] fields = line.split("\t");
            String[] scores = fields[2].split(",");
            Pair pair = new Pair();
            pair.reference = fields[0].getBytes(StandardCharsets.ISO_8859_1);
            pair.alternative = fields[1].getBytes(StandardCharsets.ISO_8859_1);
            pair.parameters = new SWParameters(Integer.parseInt(scores[0]),
                    Integer.parseInt(scores[1]), Integer.parseInt(scores[2]),
                    Integer.parseInt(scores[3]));
            pair.strategy = SWOverhangStrategy.valueOf(fields[3].toUpperCase(Locale.ROOT));
            pairs.add(pair);
        }
        alignments = new SWNativeAlignerResult[pairs.size()];
    }

    /** Runs with the arguments PAIRS RESULTS SECONDS. */
    public static void main(String[] arguments) throws IOException {
        new SmithWatermanTimes(Paths.get(arguments[0]))
                .run(arguments[1], Double.parseDouble(arguments[2]));
    }

    @Override
    protected void pass() {
        for (int i = 0; i < alignments.length; i++) {
            Pair pair = pairs.get(i);
            alignments[i] = kernel.align(
                    pair.reference, pair.alternative, pair.parameters, pair.strategy);
        }
    }

    @Override
    protected void write(DataOutputStream results) throws IOException {
        for (SWNativeAlignerResult alignment : alignments) {
            results.writeBytes(alignment.alignment_offset + " " + alignment.cigar + "\n");
        }
    }
}
