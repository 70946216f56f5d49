package org.gklshim.gatk.regions;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Objects;
import org.broadinstitute.hellbender.engine.AssemblyRegionWalker;
import org.gklshim.gatk.Members;

/** The reasons to call the regions of a run in one thread that do not depend on the tool. */
final class SerialReason {
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
        {"stepwiseFiltering", "use-flow-aligner-for-stepwise-hc-filtering"},
        // Each engine would read the file, which may be a pipe.
        {"standardArgs.CONTAMINATION_FRACTION_FILE", "contamination-fraction-per-sample-file"},
    };

    /**
     * Intel's classes whose native methods are not made for several threads, and the option without
     * which a run does not call them. Smith-Waterman and PDHMM keep arrays or their sizes in
     * variables that all threads share. PairHMM sets the flush-to-zero mode only in the thread that
     * initializes it.
     */
    private static final String[][] INTELS = {
        {"com.intel.gkl.smithwaterman.IntelSmithWaterman", null},
        {"com.intel.gkl.pairhmm.IntelPairHmm", null},
        {"com.intel.gkl.pdhmm.IntelPDHMM", "pileupDetectionArgs.generatePDHaplotypes"},
    };

    private static final String ANNOTATORS =
            "org.broadinstitute.hellbender.tools.walkers.annotator.";

    private SerialReason() {}

    /**
     * Returns what makes a run serial, for the log, or null.
     *
     * @param engine the tool's engine
     */
    static String of(AssemblyRegionWalker walker, Arguments arguments, Object engine) {
        for (String[] option : SERIAL_OPTIONS) {
            if (arguments.isSet(option[0])) {
                return "--" + option[1];
            }
        }
        if (String.valueOf(arguments.get("likelihoodArgs.likelihoodEngineImplementation"))
                .startsWith("Flow")) {
            return "--likelihood-calculation-engine";
        }
        if (walker.assemblyRegionArgs.forceActive) {
            return "--force-active";
        }
        if (Members.get(walker, "assemblyRegionOut") != null) {
            return "--assembly-region-out";
        }
        String kernel = intelsKernel(walker, arguments);
        return kernel != null ? kernel : statefulAnnotation(engine);
    }

    /** Returns a class of Intel's that the run calls and that is not replaced, or null. */
    private static String intelsKernel(AssemblyRegionWalker walker, Arguments arguments) {
        for (String[] kernel : INTELS) {
            if (kernel[1] != null && !arguments.isSet(kernel[1])) {
                continue;
            }
            try {
                Class<?> type =
                        Class.forName(kernel[0], false, walker.getClass().getClassLoader());
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

    /** Returns an annotation that only one thread can compute, or null. */
    private static String statefulAnnotation(Object engine) {
        for (Object annotation : Engine.annotations(engine)) {
            String name = annotation.getClass().getName();
            // The formats and the table of AllelePseudoDepth are not made for several threads.
            if (!isOfGatk(annotation.getClass()) || name.contains(".flow.")
                    || name.equals(ANNOTATORS + "AllelePseudoDepth") || hasPedigree(annotation)) {
                return "the annotation " + annotation.getClass().getSimpleName();
            }
        }
        return null;
    }

    /** GATK looks for the annotations of other jars in the same package as for its own. */
    private static boolean isOfGatk(Class<?> annotation) {
        return annotation.getName().startsWith(ANNOTATORS) && Objects.equals(
                annotation.getProtectionDomain().getCodeSource(),
                AssemblyRegionWalker.class.getProtectionDomain().getCodeSource());
    }

    private static boolean hasPedigree(Object annotation) {
        return Members.get(annotation, "pedigreeFile", null) != null;
    }
}
