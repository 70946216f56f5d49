package org.gklshim.gatk.regions;

import htsjdk.samtools.SAMFileHeader;
import htsjdk.variant.variantcontext.writer.VariantContextWriter;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.broadinstitute.hellbender.engine.AssemblyRegion;
import org.broadinstitute.hellbender.engine.AssemblyRegionWalker;
import org.broadinstitute.hellbender.utils.haplotype.HaplotypeBAMWriter;
import org.gklshim.gatk.Members;

/** A tool whose regions threads can call: its engines, and what its regions share. */
abstract class Caller {
    /** An option that makes a run serial if it is set: the field that holds it, and its name. */
    private static final String[][] SERIAL_OPTIONS = {
        {"alleleLikelihoodMatrixPath", "alm-path"},
        {"writeFilteringGraphs", "flow-filter-alleles-debug-graphs"},
        {"assemblyStateOutput", "debug-assembly-region-state"},
        {"genotyperDebugOutStream", "debug-genotyper-output"},
        {"assemblerArgs.debugAssembly", "debug-assembly"},
        {"assemblerArgs.debugGraphTransformations", "debug-graph-transformations"},
        {"assemblerArgs.debugAssemblyVariantsOut", "debug-assembly-variants-out"},
        {"assemblerArgs.graphOutput", "graph-output"},
        {"assemblerArgs.haplotypeHistogramOutput", "haplotype-debug-histogram-output"},
        {"assemblerArgs.captureAssemblyFailureBAM", "capture-assembly-failure-bam"},
        {"likelihoodArgs.pairHmmResultsFile", "pair-hmm-results-file"},
        {"pileupDetectionArgs.pdhmmDebugOutputResults", "pdhmm-results-file"},
        {"pileupDetectionArgs.debugPileupStdout", "print-pileupcalling-status"},
        {"flowMode", "flow-mode"},
        // Each engine would read the file, which may be a pipe.
        {"standardArgs.CONTAMINATION_FRACTION_FILE", "contamination-fraction-per-sample-file"},
    };

    /** Options that make an engine open an output file. Only the tool's own engine opens it. */
    private static final String[] FILE_OPTIONS = {"bamOutputPath", "f1r2TarGz"};

    /** Intel's classes whose native methods are not made for several threads. */
    private static final String[] INTELS = {
        "com.intel.gkl.smithwaterman.IntelSmithWaterman", "com.intel.gkl.pairhmm.IntelPairHmm",
    };

    private static final String ANNOTATORS =
            "org.broadinstitute.hellbender.tools.walkers.annotator.";

    final AssemblyRegionWalker walker;
    private final Object arguments;
    private final Object mainEngine;
    private final Optional<HaplotypeBAMWriter> bamWriter;

    /**
     * Describes a tool that is about to traverse.
     *
     * @param arguments the name of the field with its arguments
     * @param engine the name of the field with its engine
     */
    Caller(AssemblyRegionWalker walker, String arguments, String engine) {
        this.walker = walker;
        this.arguments = Members.get(walker, arguments);
        mainEngine = Members.get(walker, engine);
        bamWriter = Engine.bamWriter(mainEngine);
    }

    /** Returns the tool, or null if it is one whose regions only one thread can call. */
    static Caller of(AssemblyRegionWalker walker) {
        switch (walker.getClass().getName()) {
            case "org.broadinstitute.hellbender.tools.walkers.haplotypecaller.HaplotypeCaller":
                return new HaplotypeCallerRegions(walker);
            case "org.broadinstitute.hellbender.tools.walkers.mutect.Mutect2":
                return new Mutect2Regions(walker);
            default:
                return null;
        }
    }

    /** Returns what makes this run serial, for the log, or null. */
    String serialReason() {
        for (String[] option : SERIAL_OPTIONS) {
            if (isSet(option[0])) {
                return "--" + option[1];
            }
        }
        if (String.valueOf(argument("likelihoodArgs.likelihoodEngineImplementation"))
                .startsWith("Flow")) {
            return "--likelihood-calculation-engine";
        }
        if (walker.assemblyRegionArgs.forceActive) {
            return "--force-active";
        }
        if (Members.get(walker, "assemblyRegionOut") != null) {
            return "--assembly-region-out";
        }
        String kernel = intelsKernel();
        return kernel != null ? kernel : statefulAnnotation();
    }

    /**
     * Returns a class of Intel's that is not replaced, or null.
     *
     * <p>Smith-Waterman keeps the size of its arrays in a variable that all threads share. PairHMM
     * sets the flush-to-zero mode only in the thread that initializes it.
     */
    private String intelsKernel() {
        for (String name : INTELS) {
            try {
                Class<?> type = Class.forName(name, false, walker.getClass().getClassLoader());
                for (Method method : type.getDeclaredMethods()) {
                    if (Modifier.isNative(method.getModifiers())) {
                        return "Intel's " + type.getSimpleName();
                    }
                }
            } catch (ClassNotFoundException e) {
                // This GATK does not use it.
            }
        }
        return null;
    }

    /** Returns how many threads the user gives to GATK: --native-pair-hmm-threads, 4 by default. */
    final int askedThreads() {
        return (int) argument("likelihoodArgs.pairHMMNativeArgs.pairHmmNativeThreads");
    }

    /** Returns an annotation that only one thread can compute, or null. */
    private String statefulAnnotation() {
        for (Object annotation : annotations()) {
            String name = annotation.getClass().getName();
            // The formats and the table of AllelePseudoDepth are not made for several threads.
            if (!name.startsWith(ANNOTATORS) || name.contains(".flow.")
                    || name.equals(ANNOTATORS + "AllelePseudoDepth") || hasPedigree(annotation)) {
                return "the annotation " + annotation.getClass().getSimpleName();
            }
        }
        return null;
    }

    private List<Object> annotations() {
        List<Object> annotations = new ArrayList<>();
        for (String kind : new String[] {
            "infoAnnotations", "genotypeAnnotations", "jumboInfoAnnotations",
            "jumboGenotypeAnnotations",
        }) {
            annotations.addAll((List<?>) Members.get(mainEngine, "annotationEngine." + kind));
        }
        return annotations;
    }

    private static boolean hasPedigree(Object annotation) {
        return Members.get(annotation, "pedigreeFile", null) != null;
    }

    /** Returns whether calling a region has no result and changes nothing. */
    abstract boolean isSkipped(AssemblyRegion region);

    /**
     * Does what a call of a region does to reads that other regions share, in the order of regions.
     * Returns the region for a thread to call, which must be called before the traversal goes on if
     * {@link #mustFinish} says so.
     */
    abstract AssemblyRegion forThread(AssemblyRegion region);

    /** Returns whether a region must be called before the traversal goes on. */
    boolean mustFinish(AssemblyRegion region) {
        return false;
    }

    /** Returns the tool's own engine. */
    abstract Engine main();

    /** Returns another engine, with the tool's arguments. */
    abstract Engine another();

    /** Makes an engine for a thread of an engine of GATK, which may be the tool's own. */
    final Engine engine(Object engine, Engine.Method method) {
        return new Engine(engine, method, bamWriter);
    }

    /** Gives the tool's own engine back what it had. */
    final void restore() {
        Engine.setBamWriter(mainEngine, bamWriter);
    }

    /** Returns the writer of the tool's variants. */
    final VariantContextWriter writer() {
        return (VariantContextWriter) Members.get(walker, "vcfWriter");
    }

    final Object engine() {
        return mainEngine;
    }

    final Object arguments() {
        return arguments;
    }

    final SAMFileHeader header() {
        return walker.getHeaderForReads();
    }

    /** Returns whether this version of GATK has an option, and it is not null, false or NONE. */
    final boolean isSet(String path) {
        Object value = Members.get(arguments, path, null);
        return value != null && !value.equals(false) && !value.toString().equals("NONE");
    }

    final Object argument(String path) {
        return Members.get(arguments, path);
    }

    /** Makes an engine like the tool's, without its files. */
    final Object newEngine(Object reference) {
        Map<String, Object> files = new HashMap<>();
        try {
            for (String option : FILE_OPTIONS) {
                if (isSet(option)) {
                    files.put(option, Members.replace(arguments, option, null));
                }
            }
            return construct(reference);
        } finally {
            files.forEach((option, value) -> Members.replace(arguments, option, value));
        }
    }

    /** Calls the constructor of the tool's engine, which differs between versions of GATK. */
    private Object construct(Object reference) {
        try {
            Object[] known = {
                arguments, walker.assemblyRegionArgs, header(), reference,
                walker.getBestAvailableSequenceDictionary(),
                Members.get(mainEngine, "annotationEngine"),
            };
            Constructor<?> constructor = mainEngine.getClass().getConstructors()[0];
            Class<?>[] types = constructor.getParameterTypes();
            Object[] values = new Object[types.length];
            for (int k = 0; k < types.length; k++) {
                // Two ask for an index and a checksum of --bam-output, which this engine lacks.
                values[k] = types[k] == boolean.class ? false : instance(known, types[k]);
            }
            return constructor.newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Object instance(Object[] known, Class<?> type) {
        for (Object value : known) {
            if (type.isInstance(value)) {
                return value;
            }
        }
        throw new IllegalStateException("GATK's engine wants a " + type.getName());
    }
}
