package org.gklshim.replay;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Array;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Replays regions of PairHMM or PDHMM through several native engines in one JVM. The engines take
 * turns. Each has a class path and a separate class loader, and therefore its own classes and
 * native library.
 *
 * <p>replay.py runs {@code Replay REGIONS THREADS single|double|pdhmm SECONDS CALLERS
 * NAME=CLASSPATH ...}. Once the engines have computed all regions, it prints "ready" and waits for
 * a line on standard input, so that several processes can begin their turns at the same time. Then
 * it prints one line of JSON. On an error it prints one line on standard error and exits with
 * code 1.
 *
 * <p>System properties: with PDHMM, replay.level is GKL's instruction set. A caller pauses for
 * replay.pause nanoseconds before each call. Its CPU is busy meanwhile, as GATK's is.
 */
public final class Replay {
    private static final String BINDINGS = "org.broadinstitute.gatk.nativebindings.";
    private static final long PAUSE = Long.getLong("replay.pause", 0);

    public static void main(String[] arguments) {
        Engines.print(() -> replay(arguments));
    }

    private static String replay(String[] arguments) throws Throwable {
        boolean pdhmm = arguments[2].equals("pdhmm");
        List<Region> regions = Region.read(Paths.get(arguments[0]), pdhmm);
        int threads = Integer.parseInt(arguments[1]);
        boolean doublePrecision = arguments[2].equals("double");
        double seconds = Double.parseDouble(arguments[3]);
        int callers = Integer.parseInt(arguments[4]);
        List<Engine> engines = new ArrayList<>();
        for (int i = 5; i < arguments.length; i++) {
            int equals = arguments[i].indexOf('=');
            engines.add(new Engine(arguments[i].substring(0, equals),
                    arguments[i].substring(equals + 1), threads, pdhmm, doublePrecision,
                    callers, regions));
        }

        // The first pass warms up caches, the JIT compiler and thread pools. Its results are kept.
        for (Engine engine : engines) {
            engine.firstPass();
        }
        long cells = 0;
        for (Region region : regions) {
            cells += region.cells();
        }
        System.out.println("ready");
        System.in.read();
        // Engines take turns, so that a change of the machine's speed affects all of them.
        for (boolean more = true; more; ) {
            more = false;
            for (Engine engine : engines) {
                engine.turn();
            }
            for (Engine engine : engines) {
                more |= engine.total < seconds;
            }
        }

        StringBuilder json = new StringBuilder();
        json.append(String.format(Locale.ROOT,
                "{\"regions\": %d, \"pairs\": %d, \"cells\": %d, \"engines\": [",
                regions.size(), pairs(regions), cells));
        String separator = "";
        for (Engine engine : engines) {
            json.append(separator).append(engine.toJson(cells, engines.get(0)));
            separator = ", ";
        }
        return json.append("]}").toString();
    }

    private static long pairs(List<Region> regions) {
        long pairs = 0;
        for (Region region : regions) {
            pairs += (long) region.reads.length * region.haplotypes.length;
        }
        return pairs;
    }

    /** One native engine, with every region as objects of its class loader. */
    private static final class Engine {
        final String name;
        final MethodHandle computeLikelihoods;
        final Object[] reads;
        final Object[] haplotypes;
        /** The outputs of each caller for each region. */
        final double[][][] outputs;
        final List<double[]> turns = new ArrayList<>();
        final long begin = System.nanoTime();
        /** From the begin of this object to the result of the first call. */
        double startSeconds;
        boolean flushToZero;
        double total;
        double[][] likelihoods;

        Engine(String name, String classPath, int threads, boolean pdhmm,
                boolean doublePrecision, int callers, List<Region> regions) throws Throwable {
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
            outputs = new double[callers][regions.size()][];
            for (int i = 0; i < reads.length; i++) {
                Region region = regions.get(i);
                reads[i] = holders(readClass, region.reads, "readBases", "readQuals",
                        "insertionGOP", "deletionGOP", "overallGCP");
                haplotypes[i] = pdhmm
                        ? holders(haplotypeClass, region.haplotypes, "haplotypeBases",
                                "haplotypePDBases")
                        : holders(haplotypeClass, region.haplotypes, "haplotypeBases");
                for (double[][] output : outputs) {
                    output[i] = new double[region.reads.length * region.haplotypes.length];
                }
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

        void call(int caller, int region) throws Throwable {
            computeLikelihoods.invoke(
                    reads[region], haplotypes[region], outputs[caller][region]);
        }

        void firstPass() throws Throwable {
            call(0, 0);
            startSeconds = (System.nanoTime() - begin) * 1e-9;
            for (int i = 1; i < reads.length; i++) {
                call(0, i);
            }
            likelihoods = copyOutputs();
        }

        void compute(int caller) throws Throwable {
            for (int i = 0; i < reads.length; i++) {
                if (PAUSE > 0) {
                    long end = System.nanoTime() + PAUSE;
                    while (System.nanoTime() - end < 0) {
                        Thread.onSpinWait();
                    }
                }
                call(caller, i);
            }
        }

        double[][] copyOutputs() {
            double[][] copy = new double[reads.length][];
            for (int i = 0; i < copy.length; i++) {
                copy[i] = outputs[0][i].clone();
            }
            return copy;
        }

        void turn() throws Throwable {
            flushToZero = flushesToZero();
            List<FutureTask<Integer>> others = new ArrayList<>();
            // All threads are started before the clock, so that only calls are timed.
            CountDownLatch go = new CountDownLatch(1);
            CountDownLatch ready = new CountDownLatch(outputs.length - 1);
            AtomicLong deadline = new AtomicLong();
            for (int caller = 1; caller < outputs.length; caller++) {
                int number = caller;
                FutureTask<Integer> task = new FutureTask<>(() -> {
                    ready.countDown();
                    go.await();
                    return passesUntil(deadline.get(), number);
                });
                others.add(task);
                new Thread(task).start();
            }
            ready.await();
            long start = System.nanoTime();
            deadline.set(start + (long) (Engines.TURN_SECONDS * 1e9));
            go.countDown();
            int passes = passesUntil(deadline.get(), 0);
            for (FutureTask<Integer> task : others) {
                passes += task.get();
            }
            double elapsed = (System.nanoTime() - start) * 1e-9;
            turns.add(new double[] {passes, elapsed});
            total += elapsed;
        }

        private int passesUntil(long deadline, int caller) throws Exception {
            int passes = 0;
            do {
                try {
                    compute(caller);
                } catch (Error | Exception e) {
                    throw e;
                } catch (Throwable e) {
                    throw new IllegalStateException(e);
                }
                passes++;
            } while (deadline - System.nanoTime() > 0);
            return passes;
        }

        String toJson(long cells, Engine reference) {
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
            StringBuilder json = new StringBuilder();
            json.append(String.format(Locale.ROOT,
                    "{\"name\": \"%s\", \"flush_to_zero\": %b, \"largest_difference\": %.3g, "
                            + "\"infinite_in_one\": %d, \"start_seconds\": %.6f, \"turns\": [",
                    name, flushToZero, largest, disagreements, startSeconds));
            for (int i = 0; i < turns.size(); i++) {
                double[] turn = turns.get(i);
                json.append(String.format(Locale.ROOT,
                        "%s{\"passes\": %d, \"seconds\": %.9f, \"gcups\": %.6f}", i > 0 ? ", " : "",
                        (int) turn[0], turn[1], cells * turn[0] / turn[1] * 1e-9));
            }
            return json.append("]}").toString();
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
