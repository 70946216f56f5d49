package org.gklshim.gatk.regions;

import htsjdk.variant.variantcontext.VariantContext;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.broadinstitute.hellbender.engine.AssemblyRegion;
import org.broadinstitute.hellbender.engine.FeatureContext;
import org.broadinstitute.hellbender.engine.ReferenceContext;
import org.broadinstitute.hellbender.utils.haplotype.HaplotypeBAMWriter;
import org.gklshim.gatk.Members;

/** An engine of GATK that calls regions. It belongs to one thread. */
final class Engine {
    /** GATK's method that calls a region. */
    interface RegionCall {
        List<VariantContext> call(AssemblyRegion region, ReferenceContext reference,
                FeatureContext features);
    }

    private static final String BAM_WRITER = "haplotypeBAMWriter";

    private final RegionCall call;
    private final Closeable reference;
    /** Null without --bam-output. */
    private final DeferredBamWriter bamWriter;

    /**
     * Takes an engine of GATK.
     *
     * @param sharedWriter the writer of --bam-output that all engines share, if there is one
     */
    Engine(Object gatks, RegionCall call, Optional<HaplotypeBAMWriter> sharedWriter) {
        this.call = call;
        reference = (Closeable) Members.get(gatks, "referenceReader");
        bamWriter = sharedWriter.isPresent() ? new DeferredBamWriter(sharedWriter.get()) : null;
        if (bamWriter != null) {
            setBamWriter(gatks, Optional.of(bamWriter));
        }
    }

    /** Returns all annotations that an engine of GATK computes. */
    static List<Object> annotations(Object engine) {
        List<Object> annotations = new ArrayList<>();
        for (String kind : new String[] {
            "infoAnnotations", "genotypeAnnotations", "jumboInfoAnnotations",
            "jumboGenotypeAnnotations",
        }) {
            annotations.addAll((List<?>) Members.get(engine, "annotationEngine." + kind));
        }
        return annotations;
    }

    /** Returns the writer of --bam-output that an engine of GATK has, if it has one. */
    @SuppressWarnings("unchecked")
    static Optional<HaplotypeBAMWriter> bamWriter(Object engine) {
        return (Optional<HaplotypeBAMWriter>) Members.get(engine, BAM_WRITER);
    }

    static void setBamWriter(Object engine, Optional<HaplotypeBAMWriter> writer) {
        Members.replace(engine, BAM_WRITER, writer);
    }

    List<VariantContext> call(AssemblyRegion region, ReferenceContext reference,
            FeatureContext features) {
        return call.call(region, reference, features);
    }

    /** Returns what writes the last region's reads to --bam-output. */
    List<Runnable> takeBamCalls() {
        return bamWriter == null ? Collections.emptyList() : bamWriter.takeCalls();
    }

    /** Closes the engine's reader of the reference. GATK closes the tool's own engine itself. */
    void close() {
        try {
            reference.close();
        } catch (IOException e) {
            // Nothing was written.
        }
    }
}
