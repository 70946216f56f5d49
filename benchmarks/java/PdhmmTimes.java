import com.intel.gkl.pdhmm.IntelPDHMM;
import java.io.BufferedReader;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import org.broadinstitute.gatk.nativebindings.pdhmm.HaplotypeDataHolder;
import org.broadinstitute.gatk.nativebindings.pdhmm.PDHMMNativeArguments;
import org.broadinstitute.gatk.nativebindings.pdhmm.ReadDataHolder;
import org.gklshim.bench.Times;

/** One call of PDHMM for each region of a file: .in format, with flags beside each haplotype. */
public final class PdhmmTimes extends Times {
    private final IntelPDHMM kernel = loaded(new IntelPDHMM());
    private final List<ReadDataHolder[]> reads = new ArrayList<>();
    private final List<HaplotypeDataHolder[]> haplotypes = new ArrayList<>();
    private final List<double[]> likelihoods = new ArrayList<>();

    private PdhmmTimes(Path regions, int threads, String level) throws IOException {
        read(regions);
        PDHMMNativeArguments arguments = new PDHMMNativeArguments();
        arguments.maxNumberOfThreads = threads;
        arguments.avxLevel = PDHMMNativeArguments.AVXLevel.valueOf(level);
        arguments.openMPSetting = PDHMMNativeArguments.OpenMPSetting.FASTEST_AVAILABLE;
        arguments.setMaxMemoryInMB(1024); // GATK's default
        kernel.initialize(arguments);
    }

    /** Runs with the arguments REGIONS RESULTS SECONDS THREADS LEVEL, a constant of AVXLevel. */
    public static void main(String[] arguments) throws IOException {
        new PdhmmTimes(Paths.get(arguments[0]), Integer.parseInt(arguments[3]), arguments[4])
                .run(arguments[1], Double.parseDouble(arguments[2]));
    }

    private void read(Path path) throws IOException {
        try (BufferedReader reader = Files.newBufferedReader(path, StandardCharsets.ISO_8859_1)) {
            for (String line; (line = reader.readLine()) != null; ) {
                String[] counts = line.trim().split("\\s+");
                ReadDataHolder[] regionReads = new ReadDataHolder[Integer.parseInt(counts[0])];
                for (int i = 0; i < regionReads.length; i++) {
                    String[] fields = reader.readLine().trim().split("\\s+");
                    regionReads[i] = new ReadDataHolder();
                    regionReads[i].readBases = bytes(fields[0], 0);
                    regionReads[i].readQuals = bytes(fields[1], 33);
                    regionReads[i].insertionGOP = bytes(fields[2], 33);
                    regionReads[i].deletionGOP = bytes(fields[3], 33);
                    regionReads[i].overallGCP = bytes(fields[4], 33);
                }
                HaplotypeDataHolder[] regionHaplotypes =
                        new HaplotypeDataHolder[Integer.parseInt(counts[1])];
                for (int i = 0; i < regionHaplotypes.length; i++) {
                    String[] fields = reader.readLine().trim().split("\\s+");
                    regionHaplotypes[i] = new HaplotypeDataHolder();
                    regionHaplotypes[i].haplotypeBases = bytes(fields[0], 0);
                    regionHaplotypes[i].haplotypePDBases = flags(fields[1]);
                }
                reads.add(regionReads);
                haplotypes.add(regionHaplotypes);
                likelihoods.add(new double[regionReads.length * regionHaplotypes.length]);
            }
        }
    }

    private static byte[] bytes(String text, int offset) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] -= offset;
        }
        return bytes;
    }

    private static byte[] flags(String digits) {
        byte[] flags = new byte[digits.length() / 2];
        for (int i = 0; i < flags.length; i++) {
            flags[i] = (byte) Integer.parseInt(digits.substring(2 * i, 2 * i + 2), 16);
        }
        return flags;
    }

    @Override
    protected void pass() {
        for (int i = 0; i < reads.size(); i++) {
            kernel.computeLikelihoods(reads.get(i), haplotypes.get(i), likelihoods.get(i));
        }
    }

    @Override
    protected void write(DataOutputStream results) throws IOException {
        for (double[] region : likelihoods) {
            for (double likelihood : region) {
                results.writeDouble(likelihood);
            }
        }
    }
}
