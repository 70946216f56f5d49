package org.gklshim;

import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.gklshim.pairhmm.PairHmm;

/**
 * One of GATK's classes that we replace. {@link #TABLE} lists them all.
 *
 * <p>Our class has the original's name. Its bytes are in gkl-shim-classpath.jar, which can stand in
 * front of GATK, and in gkl-shim.jar under replacements/, where only {@link Agent} looks. It is
 * used if its {@link Algorithm} passes a self-test. If not, GATK gets the original, and one line in
 * the log says why. The classes of other algorithms are replaced all the same.
 *
 * <p>To replace another class, write ours under the original's name, without nested classes, and
 * add an entry to the table.
 */
public final class ReplacedClass {
    private static final ReplacedClass[] TABLE = {
        new ReplacedClass("com.intel.gkl.pairhmm.IntelPairHmm", PairHmm.INSTANCE,
                OriginalLibrary.INTEL_GKL),
        new ReplacedClass("com.intel.gkl.pairhmm.IntelPairHmmOMP", PairHmm.INSTANCE,
                OriginalLibrary.INTEL_GKL),
    };

    /** Where our classes are in gkl-shim.jar, below this package's folder. */
    static final String FOLDER = "replacements/";

    private static final Map<String, ReplacedClass> BY_NAME = new HashMap<>();

    static {
        for (ReplacedClass replaced : TABLE) {
            BY_NAME.put(replaced.name, replaced);
        }
    }

    final Algorithm algorithm;
    final OriginalLibrary library;
    /** With slashes, as the JVM names classes. */
    private final String name;

    private ReplacedClass(String name, Algorithm algorithm, OriginalLibrary library) {
        this.name = name.replace('.', '/');
        this.algorithm = algorithm;
        this.library = library;
    }

    /** The entry of a class, whose name is given with slashes; null where there is none. */
    static ReplacedClass named(String name) {
        return BY_NAME.get(name);
    }

    /** The entry of one of our classes. */
    static ReplacedClass of(Class<?> ours) {
        return named(ours.getName().replace('.', '/'));
    }

    static Set<Algorithm> algorithms() {
        Set<Algorithm> algorithms = new LinkedHashSet<>();
        for (ReplacedClass replaced : TABLE) {
            algorithms.add(replaced.algorithm);
        }
        return algorithms;
    }

    /**
     * Whether our class can be used. The first call for an algorithm tests it, and logs a failure.
     *
     * @param name the class's, with slashes
     * @param swap how our class takes the original's place: "agent" or "class path"
     */
    public static boolean isUsable(String name, String swap) {
        ReplacedClass replaced = named(name);
        return replaced.algorithm.isUsable(replaced.library, swap);
    }

    /** The same for a class that stands in front of its original on the class path. */
    public static boolean isUsable(Class<?> ours) {
        return isUsable(ours.getName().replace('.', '/'), "class path");
    }

    /** Whether nothing has used the algorithm of this name, although nothing is wrong with it. */
    public static boolean isIdle(String name) {
        for (Algorithm algorithm : algorithms()) {
            if (algorithm.name.equals(name)) {
                return algorithm.isIdle();
            }
        }
        throw new IllegalArgumentException(name);
    }

    /** The bytes of our class. */
    byte[] bytes() throws IOException {
        String path = FOLDER + name + ".class";
        try (InputStream stream = ReplacedClass.class.getResourceAsStream(path)) {
            if (stream == null) {
                throw new IOException(path + " is missing in gkl-shim.jar");
            }
            return NativeLibrary.readAll(stream);
        }
    }

    /** Says in the log that GATK gets the original. */
    void warn(String reason) {
        algorithm.warn(library, reason);
    }

    /** Says in the log that not even the original works. */
    void warnNoOriginal(String reason) {
        Log.warning(algorithm.name + ": " + library.title + " cannot be used either: " + reason);
    }
}
