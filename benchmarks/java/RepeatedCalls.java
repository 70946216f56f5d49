package org.gklshim.replay;

import com.intel.gkl.pairhmm.IntelPairHmm;
import com.intel.gkl.pdhmm.IntelPDHMM;
import com.intel.gkl.smithwaterman.IntelSmithWaterman;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.ObjectName;
import org.broadinstitute.gatk.nativebindings.pairhmm.HaplotypeDataHolder;
import org.broadinstitute.gatk.nativebindings.pairhmm.PairHMMNativeArguments;
import org.broadinstitute.gatk.nativebindings.pairhmm.ReadDataHolder;
import org.broadinstitute.gatk.nativebindings.pdhmm.PDHMMNativeArguments;
import org.broadinstitute.gatk.nativebindings.smithwaterman.SWNativeAlignerResult;
import org.broadinstitute.gatk.nativebindings.smithwaterman.SWOverhangStrategy;
import org.broadinstitute.gatk.nativebindings.smithwaterman.SWParameters;

/**
 * Calls one kernel again and again from several threads, through the class that GATK calls.
 *
 * <p>{@code RepeatedCalls pairhmm|pdhmm|smithwaterman FILE CALLS THREADS PHASES}. FILE holds
 * recorded regions or pairs. After each phase all threads wait. Then it prints one line of JSON with
 * the memory that the process holds. A call with another result than the first one of the same
 * region ends the program.
 */
public final class RepeatedCalls {
    /** The calls of one kernel. Several threads may make them at the same time. */
    private interface Kernel {
        int size();

        /** Makes the call of a number, and returns a hash of all its results. */
        int call(int number);
    }

    private RepeatedCalls() {}

    public static void main(String[] arguments) throws Exception {
        Kernel kernel = kernel(arguments[0], Paths.get(arguments[1]));
        long calls = Long.parseLong(arguments[2]);
        int threads = Integer.parseInt(arguments[3]);
        int phases = Integer.parseInt(arguments[4]);
        int[] expected = new int[kernel.size()];
        for (int i = 0; i < expected.length; i++) {
            expected[i] = kernel.call(i);
        }
        long start = System.nanoTime();
        AtomicLong next = new AtomicLong();
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        for (int phase = 1; phase <= phases; phase++) {
            long end = calls * phase / phases;
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                running.add(pool.submit(() -> makeCalls(kernel, expected, next, end)));
            }
            for (Future<?> each : running) {
                each.get();
            }
            next.set(end);
            System.out.printf("{\"calls\": %d, \"seconds\": %.1f, %s}%n", end,
                    (System.nanoTime() - start) * 1e-9, memory());
        }
        pool.shutdown();
    }

    private static void makeCalls(Kernel kernel, int[] expected, AtomicLong next, long end) {
        for (long number; (number = next.getAndIncrement()) < end; ) {
            int item = (int) (number % expected.length);
            if (kernel.call(item) != expected[item]) {
                throw new IllegalStateException("call " + number + " has another result");
            }
        }
    }

    /** Returns JSON's fields of the memory that is in use, in KiB, and of threads and files. */
    static String memory() throws Exception {
        long heap = 0;
        for (int i = 0; i < 3; i++) {
            System.gc();
            heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        }
        String status = new String(Files.readAllBytes(Paths.get("/proc/self/status")));
        String maps = new String(Files.readAllBytes(Paths.get("/proc/self/maps")));
        String tracked = (String) ManagementFactory.getPlatformMBeanServer().invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"), "vmNativeMemory",
                new Object[] {new String[] {"summary"}}, new String[] {String[].class.getName()});
        long libraries = Arrays.stream(maps.split("\n"))
                .filter(line -> line.contains("libgkl_shim.so") && line.contains(" 00000000 "))
                .count();
        return String.format("\"heap\": %d, \"resident\": %d, \"anonymous\": %d, \"jvm\": %d, "
                + "\"threads\": %d, \"files\": %d, \"libraries\": %d", heap >> 10,
                number(status, "VmRSS:\\s+(\\d+)"), number(status, "RssAnon:\\s+(\\d+)"),
                number(tracked, "Total: .*committed=(\\d+)KB"), number(status, "Threads:\\s+(\\d+)"),
                Paths.get("/proc/self/fd").toFile().list().length, libraries);
    }

    private static long number(String text, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        return matcher.find() ? Long.parseLong(matcher.group(1)) : -1;
    }

    private static Kernel kernel(String name, Path file) throws Exception {
        switch (name) {
            case "pairhmm":
                return new PairHmm(file);
            case "pdhmm":
                return new Pdhmm(file);
            default:
                return new SmithWaterman(file);
        }
    }

    private static void require(boolean loaded) {
        if (!loaded) {
            throw new IllegalStateException("a class does not load");
        }
    }

    private static final class PairHmm implements Kernel {
        final IntelPairHmm pairHmm = new IntelPairHmm();
        final ReadDataHolder[][] reads;
        final HaplotypeDataHolder[][] haplotypes;

        PairHmm(Path file) throws Exception {
            require(pairHmm.load(null));
            pairHmm.initialize(new PairHMMNativeArguments());
            List<Region> regions = Region.read(file, false);
            reads = new ReadDataHolder[regions.size()][];
            haplotypes = new HaplotypeDataHolder[regions.size()][];
            for (int i = 0; i < reads.length; i++) {
                Region region = regions.get(i);
                reads[i] = new ReadDataHolder[region.reads.length];
                for (int j = 0; j < reads[i].length; j++) {
                    ReadDataHolder read = reads[i][j] = new ReadDataHolder();
                    read.readBases = region.reads[j][0];
                    read.readQuals = region.reads[j][1];
                    read.insertionGOP = region.reads[j][2];
                    read.deletionGOP = region.reads[j][3];
                    read.overallGCP = region.reads[j][4];
                }
                haplotypes[i] = new HaplotypeDataHolder[region.haplotypes.length];
                for (int j = 0; j < haplotypes[i].length; j++) {
                    haplotypes[i][j] = new HaplotypeDataHolder();
                    haplotypes[i][j].haplotypeBases = region.haplotypes[j][0];
                }
            }
        }

        @Override
        public int size() {
            return reads.length;
        }

        @Override
        public int call(int number) {
            double[] likelihoods = new double[reads[number].length * haplotypes[number].length];
            pairHmm.computeLikelihoods(reads[number], haplotypes[number], likelihoods);
            return Arrays.hashCode(likelihoods);
        }
    }

    private static final class Pdhmm implements Kernel {
        final IntelPDHMM pdhmm = new IntelPDHMM();
        final org.broadinstitute.gatk.nativebindings.pdhmm.ReadDataHolder[][] reads;
        final org.broadinstitute.gatk.nativebindings.pdhmm.HaplotypeDataHolder[][] haplotypes;

        Pdhmm(Path file) throws Exception {
            require(pdhmm.load(null));
            pdhmm.initialize(new PDHMMNativeArguments());
            List<Region> regions = Region.read(file, true);
            reads = new org.broadinstitute.gatk.nativebindings.pdhmm.ReadDataHolder[
                    regions.size()][];
            haplotypes = new org.broadinstitute.gatk.nativebindings.pdhmm.HaplotypeDataHolder[
                    regions.size()][];
            for (int i = 0; i < reads.length; i++) {
                Region region = regions.get(i);
                reads[i] = new org.broadinstitute.gatk.nativebindings.pdhmm.ReadDataHolder[
                        region.reads.length];
                for (int j = 0; j < reads[i].length; j++) {
                    reads[i][j] = new org.broadinstitute.gatk.nativebindings.pdhmm.ReadDataHolder();
                    reads[i][j].readBases = region.reads[j][0];
                    reads[i][j].readQuals = region.reads[j][1];
                    reads[i][j].insertionGOP = region.reads[j][2];
                    reads[i][j].deletionGOP = region.reads[j][3];
                    reads[i][j].overallGCP = region.reads[j][4];
                }
                haplotypes[i] =
                        new org.broadinstitute.gatk.nativebindings.pdhmm.HaplotypeDataHolder[
                                region.haplotypes.length];
                for (int j = 0; j < haplotypes[i].length; j++) {
                    haplotypes[i][j] =
                            new org.broadinstitute.gatk.nativebindings.pdhmm.HaplotypeDataHolder();
                    haplotypes[i][j].haplotypeBases = region.haplotypes[j][0];
                    haplotypes[i][j].haplotypePDBases = region.haplotypes[j][1];
                }
            }
        }

        @Override
        public int size() {
            return reads.length;
        }

        @Override
        public int call(int number) {
            double[] likelihoods = new double[reads[number].length * haplotypes[number].length];
            pdhmm.computeLikelihoods(reads[number], haplotypes[number], likelihoods);
            return Arrays.hashCode(likelihoods);
        }
    }

    private static final class SmithWaterman implements Kernel {
        final IntelSmithWaterman aligner = new IntelSmithWaterman();
        final List<byte[][]> sequences = new ArrayList<>();
        final List<SWParameters> scores = new ArrayList<>();
        final List<SWOverhangStrategy> strategies = new ArrayList<>();

        SmithWaterman(Path file) throws Exception {
            require(aligner.load(null));
            for (String line : Files.readAllLines(file)) {
                String[] fields = line.split("\t");
                sequences.add(new byte[][] {fields[0].getBytes(), fields[1].getBytes()});
                int[] four = Arrays.stream(fields[2].split(",")).mapToInt(Integer::parseInt)
                        .toArray();
                scores.add(new SWParameters(four[0], four[1], four[2], four[3]));
                strategies.add(SWOverhangStrategy.valueOf(fields[3].toUpperCase()));
            }
        }

        @Override
        public int size() {
            return sequences.size();
        }

        @Override
        public int call(int number) {
            byte[][] pair = sequences.get(number);
            SWNativeAlignerResult found =
                    aligner.align(pair[0], pair[1], scores.get(number), strategies.get(number));
            return 31 * found.cigar.hashCode() + found.alignment_offset;
        }
    }
}
