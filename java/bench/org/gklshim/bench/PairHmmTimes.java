package org.gklshim.bench;

import com.intel.gkl.pairhmm.IntelPairHmm;
import com.intel.gkl.pairhmm.IntelPairHmmOMP;
import java.io.BufferedReader;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import org.broadinstitute.gatk.nativebindings.pairhmm.HaplotypeDataHolder;
import org.broadinstitute.gatk.nativebindings.pairhmm.PairHMMNativeArguments;
import org.broadinstitute.gatk.nativebindings.pairhmm.PairHMMNativeBinding;
import org.broadinstitute.gatk.nativebindings.pairhmm.ReadDataHolder;

/** One call of PairHMM for each region of a file, in the .in format. */
public final class PairHmmTimes extends Times {
    private final PairHMMNativeBinding kernel;
    private final List<ReadDataHolder[]> reads = new ArrayList<>();
    private final List<HaplotypeDataHolder[]> haplotypes = new ArrayList<>();
    private final List<double[]> likelihoods = new ArrayList<>();

    private PairHmmTimes(Path regions, int threads, boolean doublePrecision) throws IOException {
        read(regions);
        // Like GATK, use the OpenMP class for several threads and the plain class for one.
        kernel = loaded(threads > 1 ? new IntelPairHmmOMP() : new IntelPairHmm());
        PairHMMNativeArguments arguments = new PairHMMNativeArguments();
        arguments.maxNumberOfThreads = threads;
        arguments.useDoublePrecision = doublePrecision;
        kernel.initialize(arguments);
    }

    /** Runs with the arguments REGIONS RESULTS SECONDS THREADS single|double. */
    public static void main(String[] arguments) throws IOException {
        new PairHmmTimes(Paths.get(arguments[0]), Integer.parseInt(arguments[3]),
                arguments[4].equals("double"))
                .run(arguments[1], Double.parseDouble(arguments[2]));
    }

    private void read(Path path) throws IOException {
        try (BufferedReader reader = Files.newBufferedReader(path, StandardCharsets.ISO_8859_1)) {
            for (String line; (line = reader.readLine()) != null; ) {
                String[] counts = line.trim().split("\\s+");
                ReadDataHolder[] regionReads = new ReadDataHolder[Integer.parseInt(counts[0])];
                for (int i = 0; i < regionReads.length; i++) {
                    regionReads[i] = read(reader.readLine().trim().split("\\s+"));
                }
                HaplotypeDataHolder[] regionHaplotypes =
                        new HaplotypeDataHolder[Integer.parseInt(counts[1])];
                for (int i = 0; i < regionHaplotypes.length; i++) {
                    regionHaplotypes[i] = new HaplotypeDataHolder();
                    regionHaplotypes[i].haplotypeBases = bytes(reader.readLine().trim());
                }
                reads.add(regionReads);
                haplotypes.add(regionHaplotypes);
                likelihoods.add(new double[regionReads.length * regionHaplotypes.length]);
            }
        }
    }

    private static ReadDataHolder read(String[] fields) {
        ReadDataHolder read = new ReadDataHolder();
        read.readBases = bytes(fields[0]);
        read.readQuals = qualities(fields[1]);
        read.insertionGOP = qualities(fields[2]);
        read.deletionGOP = qualities(fields[3]);
        read.overallGCP = qualities(fields[4]);
        return read;
    }

    private static byte[] qualities(String text) {
        byte[] qualities = bytes(text);
        for (int i = 0; i < qualities.length; i++) {
            qualities[i] -= 33;
        }
        return qualities;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
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
