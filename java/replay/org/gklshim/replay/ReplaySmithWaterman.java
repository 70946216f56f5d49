package org.gklshim.replay;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Aligns pairs of sequences through several native Smith-Waterman engines in one JVM. The engines
 * take turns. Each has a class path and a separate class loader, and therefore its own classes and
 * native library.
 *
 * <p>replay_smithwaterman.py runs {@code ReplaySmithWaterman PAIRS SECONDS NAME=CLASSPATH ...}.
 * PAIRS holds lines of the form "reference TAB alternative TAB match,mismatch,gap open,gap extend
 * TAB overhang strategy". It prints one line of JSON on standard output. On an error it prints one
 * line on standard error and exits with code 1.
 */
public final class ReplaySmithWaterman {
    private static final String PACKAGE = "org.broadinstitute.gatk.nativebindings.smithwaterman.";

    public static void main(String[] arguments) {
        Engines.print(() -> replay(arguments));
    }

    private static String replay(String[] arguments) throws Throwable {
        List<String[]> pairs = read(Paths.get(arguments[0]));
        double seconds = Double.parseDouble(arguments[1]);
        List<Engine> engines = new ArrayList<>();
        for (int i = 2; i < arguments.length; i++) {
            int equals = arguments[i].indexOf('=');
            engines.add(new Engine(arguments[i].substring(0, equals),
                    arguments[i].substring(equals + 1), pairs));
        }
        long cells = 0;
        for (String[] pair : pairs) {
            cells += (long) pair[0].length() * pair[1].length();
        }
        // The first turn warms up caches and the JIT compiler, and is not counted.
        for (Engine engine : engines) {
            engine.turn(cells);
            engine.speeds.clear();
        }
        // Engines take turns, so that a change of the machine's speed affects all of them.
        for (double total = 0; total < seconds; total += Engines.TURN_SECONDS) {
            for (Engine engine : engines) {
                engine.turn(cells);
            }
        }
        List<String> results = new ArrayList<>();
        for (Engine engine : engines) {
            results.add(engine.toJson(engines.get(0)));
        }
        return String.format(Locale.ROOT, "{\"pairs\": %d, \"cells\": %d, \"engines\": %s}",
                pairs.size(), cells, results);
    }

    /** One native aligner, with every pair as objects of its class loader. */
    private static final class Engine {
        final String name;
        final MethodHandle align;
        final byte[][][] sequences;
        final Object[] parameters;
        final Object[] strategies;
        final MethodHandle cigar;
        final MethodHandle offset;
        final String[] alignments;
        /** The speed of each turn, in 10^9 cells a second. */
        final List<String> speeds = new ArrayList<>();

        Engine(String name, String classPath, List<String[]> pairs) throws Throwable {
            this.name = name;
            ClassLoader loader = Engines.loader(classPath);
            Class<?> aligner = loader.loadClass("com.intel.gkl.smithwaterman.IntelSmithWaterman");
            Class<?> parametersClass = loader.loadClass(PACKAGE + "SWParameters");
            Class<?> strategyClass = loader.loadClass(PACKAGE + "SWOverhangStrategy");
            Class<?> resultClass = loader.loadClass(PACKAGE + "SWNativeAlignerResult");
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            Object instance = Engines.load(name, aligner);
            align = lookup.unreflect(aligner.getMethod("align", byte[].class, byte[].class,
                    parametersClass, strategyClass)).bindTo(instance);
            cigar = lookup.unreflectGetter(resultClass.getField("cigar"));
            offset = lookup.unreflectGetter(resultClass.getField("alignment_offset"));
            sequences = new byte[pairs.size()][][];
            parameters = new Object[sequences.length];
            strategies = new Object[sequences.length];
            alignments = new String[sequences.length];
            for (int i = 0; i < sequences.length; i++) {
                String[] fields = pairs.get(i);
                sequences[i] = new byte[][] {fields[0].getBytes(StandardCharsets.ISO_8859_1),
                    fields[1].getBytes(StandardCharsets.ISO_8859_1)};
                String[] numbers = fields[2].split(",");
                parameters[i] = parametersClass
                        .getConstructor(int.class, int.class, int.class, int.class)
                        .newInstance(Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1]),
                                Integer.parseInt(numbers[2]), Integer.parseInt(numbers[3]));
                strategies[i] = strategyClass.getMethod("valueOf", String.class)
                        .invoke(null, fields[3].toUpperCase(Locale.ROOT));
            }
        }

        void turn(long cells) throws Throwable {
            int passes = 0;
            Object result = null;
            long start = System.nanoTime();
            long deadline = start + (long) (Engines.TURN_SECONDS * 1e9);
            do {
                for (int i = 0; i < sequences.length; i++) {
                    result = align.invoke(sequences[i][0], sequences[i][1], parameters[i],
                            strategies[i]);
                    if (alignments[i] == null) {
                        alignments[i] = (int) offset.invoke(result) + " "
                                + (String) cigar.invoke(result);
                    }
                }
                passes++;
            } while (deadline - System.nanoTime() > 0);
            double elapsed = (System.nanoTime() - start) * 1e-9;
            speeds.add(String.format(Locale.ROOT, "%.6f", 1e-9 * cells * passes / elapsed));
        }

        String toJson(Engine reference) {
            long different = 0;
            for (int i = 0; i < alignments.length; i++) {
                different += alignments[i].equals(reference.alignments[i]) ? 0 : 1;
            }
            return String.format(Locale.ROOT,
                    "{\"name\": \"%s\", \"different\": %d, \"gcups\": %s}",
                    name, different, speeds);
        }
    }

    private static List<String[]> read(Path path) throws IOException {
        List<String[]> pairs = new ArrayList<>();
        try (BufferedReader reader = Files.newBufferedReader(path, StandardCharsets.ISO_8859_1)) {
            for (String line; (line = reader.readLine()) != null; ) {
                String[] fields = line.split("\t");
                if (fields.length != 4 || fields[2].split(",").length != 4) {
                    throw new IOException(path + ":" + (pairs.size() + 1)
                            + ": not a reference, an alternative, scores and a strategy");
                }
                pairs.add(fields);
            }
        }
        if (pairs.isEmpty()) {
            throw new IOException(path + ":1: no pairs");
        }
        return pairs;
    }
}
