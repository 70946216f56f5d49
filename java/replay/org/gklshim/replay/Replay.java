package org.gklshim.replay;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Array;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Replays regions of PairHMM or PDHMM through several native engines in one JVM. The engines take
 * turns. Each has a class path and a separate class loader, and therefore its own classes and
 * native library.
 *
 * <p>replay.py runs {@code Replay REGIONS THREADS single|double|pdhmm SECONDS NAME=CLASSPATH ...}.
 * It prints one line of JSON. On an error it prints one line on standard error and exits with
 * code 1. With PDHMM, the system property replay.level is GKL's instruction set.
 */
public final class Replay {
    private static final String BINDINGS = "org.broadinstitute.gatk.nativebindings.";

    public static void main(String[] arguments) {
        Engines.print(() -> replay(arguments));
    }

    private static String replay(String[] arguments) throws Throwable {
        boolean pdhmm = arguments[2].equals("pdhmm");
        List<Region> regions = Region.read(Paths.get(arguments[0]), pdhmm);
        int threads = Integer.parseInt(arguments[1]);
        boolean doublePrecision = arguments[2].equals("double");
        double seconds = Double.parseDouble(arguments[3]);
        List<Engine> engines = new ArrayList<>();
        for (int i = 4; i < arguments.length; i++) {
            int equals = arguments[i].indexOf('=');
            engines.add(new Engine(arguments[i].substring(0, equals),
                    arguments[i].substring(equals + 1), threads, pdhmm, doublePrecision, regions));
        }

        // The first pass warms up caches, the JIT compiler and thread pools. Its results are kept.
        for (Engine engine : engines) {
            engine.firstPass();
        }
        long cells = regions.stream().mapToLong(Region::cells).sum();
        // Engines take turns, so that a change of the machine's speed affects all of them.
        for (boolean more = true; more; ) {
            more = false;
            for (Engine engine : engines) {
                engine.turn(cells);
            }
            for (Engine engine : engines) {
                more |= engine.total < seconds;
            }
        }

        List<String> results = new ArrayList<>();
        for (Engine engine : engines) {
            results.add(engine.toJson(engines.get(0)));
        }
        return String.format(Locale.ROOT,
                "{\"regions\": %d, \"pairs\": %d, \"cells\": %d, \"engines\": %s}", regions.size(),
                regions.stream().mapToLong(Region::pairs).sum(), cells, results);
    }

    /** One native engine, with every region as objects of its class loader. */
    private static final class Engine {
        final String name;
        final MethodHandle computeLikelihoods;
        final Object[] reads;
        final Object[] haplotypes;
        /** The output for each region. */
        final double[][] outputs;
        /** The speed of each turn, in 10^9 cells a second. */
        final List<String> speeds = new ArrayList<>();
        boolean flushToZero;
        double total;
        double[][] likelihoods;

        Engine(String name, String classPath, int threads, boolean pdhmm,
                boolean doublePrecision, List<Region> regions) throws Throwable {
            this.name = name;
            ClassLoader loader = Engines.loader(classPath);
            // Like GATK, use the OpenMP class for several threads and the plain class for one.
            Class<?> pairHmm = loader.loadClass("com.intel.gkl."
                    + (pdhmm ? "pdhmm.IntelPDHMM"
                            : threads > 1 ? "pairhmm.IntelPairHmmOMP" : "pairhmm.IntelPairHmm"));
            String bindings = BINDINGS + (pdhmm ? "pdhmm." : "pairhmm.");
            Object instance = Engines.load(name, pairHmm);
            Class<?> argumentsClass = loader.loadClass(
                    bindings + (pdhmm ? "PDHMMNativeArguments" : "PairHMMNativeArguments"));
            Object arguments = argumentsClass.getConstructor().newInstance();
            if (pdhmm) {
                String level = System.getProperty("replay.level", "FASTEST_AVAILABLE");
                choose(argumentsClass, arguments, "avxLevel", level);
                choose(argumentsClass, arguments, "openMPSetting", "FASTEST_AVAILABLE");
                // GATK's default.
                argumentsClass.getMethod("setMaxMemoryInMB", int.class).invoke(arguments, 1024);
            } else {
                argumentsClass.getField("useDoublePrecision").setBoolean(
                        arguments, doublePrecision);
            }
            argumentsClass.getField("maxNumberOfThreads").setInt(arguments, threads);
            // Use a method handle. Method.invoke would restore the thread's floating-point state,
            // but in GATK the flush-to-zero mode that GKL sets here stays on.
            MethodHandles.lookup()
                    .unreflect(pairHmm.getMethod("initialize", argumentsClass))
                    .bindTo(instance)
                    .invoke(arguments);

            Class<?> readClass = loader.loadClass(bindings + "ReadDataHolder");
            Class<?> haplotypeClass = loader.loadClass(bindings + "HaplotypeDataHolder");
            computeLikelihoods = MethodHandles.lookup()
                    .unreflect(pairHmm.getMethod("computeLikelihoods",
                            Array.newInstance(readClass, 0).getClass(),
                            Array.newInstance(haplotypeClass, 0).getClass(), double[].class))
                    .bindTo(instance);
            reads = new Object[regions.size()];
            haplotypes = new Object[regions.size()];
            outputs = new double[regions.size()][];
            for (int i = 0; i < reads.length; i++) {
                Region region = regions.get(i);
                reads[i] = holders(readClass, region.reads, "readBases", "readQuals",
                        "insertionGOP", "deletionGOP", "overallGCP");
                haplotypes[i] = pdhmm
                        ? holders(haplotypeClass, region.haplotypes, "haplotypeBases",
                                "haplotypePDBases")
                        : holders(haplotypeClass, region.haplotypes, "haplotypeBases");
                outputs[i] = new double[region.reads.length * region.haplotypes.length];
            }
        }

        /** Sets a field to the constant of its enum class. */
        private static void choose(Class<?> type, Object object, String field, String constant)
                throws ReflectiveOperationException {
            for (Object each : type.getField(field).getType().getEnumConstants()) {
                if (each.toString().equals(constant)) {
                    type.getField(field).set(object, each);
                }
            }
        }

        private static Object holders(Class<?> type, byte[][][] values, String... fields)
                throws ReflectiveOperationException {
            Object result = Array.newInstance(type, values.length);
            for (int i = 0; i < values.length; i++) {
                Object holder = type.getConstructor().newInstance();
                for (int j = 0; j < fields.length; j++) {
                    type.getField(fields[j]).set(holder, values[i][j]);
                }
                Array.set(result, i, holder);
            }
            return result;
        }

        void firstPass() throws Throwable {
            compute();
            likelihoods = new double[outputs.length][];
            for (int i = 0; i < outputs.length; i++) {
                likelihoods[i] = outputs[i].clone();
            }
        }

        private void compute() throws Throwable {
            for (int i = 0; i < reads.length; i++) {
                computeLikelihoods.invoke(reads[i], haplotypes[i], outputs[i]);
            }
        }

        void turn(long cells) throws Throwable {
            flushToZero = flushesToZero();
            int passes = 0;
            double elapsed;
            long start = System.nanoTime();
            do {
                compute();
                passes++;
                elapsed = (System.nanoTime() - start) * 1e-9;
            } while (elapsed < Engines.TURN_SECONDS);
            speeds.add(String.format(Locale.ROOT, "%.6f", 1e-9 * cells * passes / elapsed));
            total += elapsed;
        }

        String toJson(Engine reference) {
            double largest = 0;
            long disagreements = 0;
            for (int i = 0; i < likelihoods.length; i++) {
                for (int j = 0; j < likelihoods[i].length; j++) {
                    double one = reference.likelihoods[i][j];
                    double other = likelihoods[i][j];
                    if (Double.isFinite(one) && Double.isFinite(other)) {
                        largest = Math.max(largest, Math.abs(one - other));
                    } else if (Double.compare(one, other) != 0) {
                        disagreements++;
                    }
                }
            }
            return String.format(Locale.ROOT,
                    "{\"name\": \"%s\", \"flush_to_zero\": %b, \"largest_difference\": %.3g, "
                            + "\"infinite_in_one\": %d, \"gcups\": %s}",
                    name, flushToZero, largest, disagreements, speeds);
        }
    }

    /** Returns whether this thread flushes subnormal results to zero. */
    private static boolean flushesToZero() {
        return smallest * half == 0;
    }

    // Volatile, so that the compiler does not evaluate the multiplication.
    private static volatile float smallest = Float.MIN_NORMAL;
    private static volatile float half = 0.5f;
}
