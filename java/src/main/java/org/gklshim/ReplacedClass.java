package org.gklshim;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.gklshim.pairhmm.PairHmm;
import org.gklshim.pdhmm.Pdhmm;
import org.gklshim.smithwaterman.SmithWaterman;

/**
 * One of GATK's classes that we replace. {@link #TABLE} lists them all.
 *
 * <p>Our class has the same name as the original. It is in gkl-shim.jar under replacements/, where
 * only {@link Agent} looks. It is used if its {@link Algorithm} passes a self-test. Otherwise GATK
 * gets the original, and one log line says why. The classes of other algorithms are still replaced.
 *
 * <p>To replace another class, write a class with the name of the original, without nested classes,
 * and add an entry to the table. A class of fgkl, the library that follows Intel's GKL in GATK, is
 * our class for Intel's with another name: both have the methods of one interface.
 */
public final class ReplacedClass {
    private static final String INTEL_GKL = "Intel GKL";
    private static final String FGKL = "fgkl";

    private static final ReplacedClass[] TABLE = {
        new ReplacedClass("com.intel.gkl.pairhmm.IntelPairHmm", PairHmm.INSTANCE,
                INTEL_GKL),
        new ReplacedClass("com.intel.gkl.pairhmm.IntelPairHmmOMP", PairHmm.INSTANCE,
                INTEL_GKL),
        new ReplacedClass("com.intel.gkl.pdhmm.IntelPDHMM", Pdhmm.INSTANCE,
                INTEL_GKL),
        new ReplacedClass("org.broadinstitute.hellbender.utils.pairhmm.LoglessPDPairHMM",
                Pdhmm.INSTANCE, "GATK's Java", Arrays.asList(
                        "org/broadinstitute/hellbender/utils/pairhmm/LoglessPDPairHMM",
                        "org/broadinstitute/hellbender/utils/pairhmm/PDPairHMM"),
                "org/broadinstitute/hellbender/utils/pairhmm/VectorLoglessPairPDHMM"),
        new ReplacedClass("com.intel.gkl.smithwaterman.IntelSmithWaterman",
                SmithWaterman.INSTANCE, INTEL_GKL),
        new ReplacedClass("com.fulcrumgenomics.fgkl.pairhmm.FgklPairHmm", PairHmm.INSTANCE, FGKL)
                .by("com/intel/gkl/pairhmm/IntelPairHmm"),
        new ReplacedClass("com.fulcrumgenomics.fgkl.pdhmm.FgklPdHmm", Pdhmm.INSTANCE, FGKL)
                .by("com/intel/gkl/pdhmm/IntelPDHMM"),
        new ReplacedClass("com.fulcrumgenomics.fgkl.smithwaterman.FgklSmithWaterman",
                SmithWaterman.INSTANCE, FGKL)
                .by("com/intel/gkl/smithwaterman/IntelSmithWaterman"),
    };

    /** What our classes answer if GATK asks which backend they use. */
    public static final String BACKEND = "gkl-shim";

    /** The folder of our classes in gkl-shim.jar, below the folder of this package. */
    static final String FOLDER = "replacements/";

    private static final Map<String, ReplacedClass> BY_NAME = new HashMap<>();

    static {
        for (ReplacedClass replaced : TABLE) {
            BY_NAME.put(replaced.name, replaced);
        }
    }

    final Algorithm algorithm;
    /** What our class replaces, for the log. */
    private final String original;
    /** The name with slashes, as in the JVM. */
    private final String name;

    /** The name of our class in the jar, with slashes. */
    private String ours;
    /** The original and what it depends on; null for a class of a library, in any version. */
    private final List<String> known;
    /** The class, with slashes, that is replaced instead in versions that have it; null for none. */
    private final String successor;

    private ReplacedClass(String name, Algorithm algorithm, String original) {
        this(name, algorithm, original, null, null);
    }

    private ReplacedClass(String name, Algorithm algorithm, String original,
            List<String> known, String successor) {
        this.name = name.replace('.', '/');
        ours = this.name;
        this.algorithm = algorithm;
        this.original = original;
        this.known = known;
        this.successor = successor;
    }

    /** Makes the class of another one of ours. */
    private ReplacedClass by(String name) {
        ours = name;
        return this;
    }

    /** Returns the classes of GATK that replacements must know. */
    static Set<String> known() {
        Set<String> names = new LinkedHashSet<>();
        for (ReplacedClass replaced : TABLE) {
            if (replaced.known != null) {
                names.addAll(replaced.known);
            }
        }
        return names;
    }

    /** Returns whether this GATK has another class that is to be replaced instead. */
    boolean isSuperseded(ClassLoader loader) {
        return successor != null && loader.getResource(successor + ".class") != null;
    }

    /** Returns why our class does not fit the original, or null if it does. */
    String mismatch(ClassLoader loader) throws IOException {
        String unknown = known == null ? null : KnownClasses.unknown(known, loader);
        return unknown == null ? null : "this version's " + unknown + " is not known";
    }

    /** Returns the entry for a class name with slashes, or null. */
    static ReplacedClass named(String name) {
        return BY_NAME.get(name);
    }

    static Set<Algorithm> algorithms() {
        Set<Algorithm> algorithms = new LinkedHashSet<>();
        for (ReplacedClass replaced : TABLE) {
            algorithms.add(replaced.algorithm);
        }
        return algorithms;
    }

    /**
     * Returns whether our class can be used. The first call for an algorithm tests it, and logs a
     * failure.
     *
     * @param name the name of the class
     */
    public static boolean isUsable(String name) {
        ReplacedClass replaced = named(name.replace('.', '/'));
        return replaced.algorithm.isUsable(replaced.original);
    }

    /** Returns whether an algorithm was not used although no test of it failed. */
    public static boolean isIdle(String name) {
        for (Algorithm algorithm : algorithms()) {
            if (algorithm.name.equals(name)) {
                return algorithm.isIdle();
            }
        }
        throw new IllegalArgumentException(name);
    }

    /** Returns the class file of our class. */
    byte[] bytes() throws IOException {
        String path = FOLDER + ours + ".class";
        try (InputStream stream = ReplacedClass.class.getResourceAsStream(path)) {
            if (stream == null) {
                throw new IOException(path + " is missing in gkl-shim.jar");
            }
            byte[] bytes = NativeLibrary.readAll(stream);
            if (ours.equals(name)) {
                return bytes;
            }
            ClassFile file = new ClassFile(bytes);
            file.rename(name);
            return file.toBytes();
        }
    }

    /** Logs that GATK gets the original. */
    void warn(String reason) {
        algorithm.warn(original, reason);
    }
}
