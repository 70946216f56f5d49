package org.gklshim.gatk.regions;

import htsjdk.samtools.util.Locatable;
import htsjdk.variant.variantcontext.VariantContext;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.broadinstitute.hellbender.engine.AssemblyRegion;
import org.broadinstitute.hellbender.tools.walkers.genotyper.GenotypingEngine;
import org.broadinstitute.hellbender.tools.walkers.genotyper.StandardCallerArgumentCollection;
import org.gklshim.gatk.threads.OrderedTasks;

/**
 * The deletions of a run that reach from one region into the next ones.
 *
 * <p>GATK keeps the allele * of a variant only if it has emitted a deletion that covers the variant.
 * Its genotyping engine remembers these deletions from region to region. Here each thread has its
 * own engines, so those that leave their region are kept for all threads, too.
 */
public final class EmittedDeletions {
    /** The region that a thread calls. */
    private static final ThreadLocal<Call> CALL = new ThreadLocal<>();

    /** A call of a region. */
    private static final class Call {
        final EmittedDeletions run;
        final Locatable span;

        Call(EmittedDeletions run, Locatable span) {
            this.run = run;
            this.span = span;
        }
    }

    private final Object usualConfiguration;
    private final boolean hasOtherAlleles;
    /** By engine, see {@link #key}. */
    private final Map<Object, List<Locatable>> deletions = new HashMap<>();

    /**
     * Makes an empty list for a run.
     *
     * @param usualConfiguration the configuration of GATK's engine for regions that are not in
     *     --ploidy-regions
     * @param hasOtherAlleles whether alleles do not come from the assembly alone
     */
    EmittedDeletions(Object usualConfiguration, boolean hasOtherAlleles) {
        this.usualConfiguration = usualConfiguration;
        this.hasOtherAlleles = hasOtherAlleles;
    }

    /** Calls a region of this run. */
    <T> T during(Locatable span, Supplier<T> call) {
        CALL.set(new Call(this, span));
        try {
            return call.get();
        } finally {
            CALL.remove();
        }
    }

    /** Takes the place of the method of {@link GenotypingEngine}. */
    public static void recordDeletions(GenotypingEngine<?> engine, VariantContext variant,
            Collection<?> emitted) {
        engine.recordDeletions$original(variant, emitted);
        Call call = CALL.get();
        if (call == null) {
            return;
        }
        for (Locatable deletion : engine.upstreamDeletionsLoc) {
            if (deletion.getStart() == variant.getStart()
                    && deletion.getEnd() > call.span.getEnd()) {
                call.run.add(engine, deletion);
            }
        }
    }

    /**
     * Takes the place of the method of {@link GenotypingEngine}. If the thread's own engine knows
     * no such deletion, it waits until the earlier regions are called whose deletions may reach so
     * far.
     */
    public static boolean isVcCoveredByDeletion(GenotypingEngine<?> engine,
            VariantContext variant) {
        if (engine.isVcCoveredByDeletion$original(variant)) {
            return true;
        }
        Call call = CALL.get();
        if (call == null) {
            return false;
        }
        EmittedDeletions run = call.run;
        OrderedTasks.<AssemblyRegion>awaitEarlier(earlier -> run.mayReach(earlier, variant));
        return run.covers(engine, variant);
    }

    /**
     * Returns whether a region may emit a deletion that covers a variant. The haplotypes of the
     * assembly end with the padded region. GATK takes the allele <NON_REF> for a deletion that is
     * one base longer than the reference allele.
     */
    private boolean mayReach(AssemblyRegion earlier, VariantContext variant) {
        return earlier.getContig().equals(variant.getContig())
                && (hasOtherAlleles
                        || earlier.getPaddedSpan().getEnd() + 1 >= variant.getStart());
    }

    private synchronized void add(GenotypingEngine<?> engine, Locatable deletion) {
        deletions.computeIfAbsent(key(engine), key -> new ArrayList<>()).add(deletion);
    }

    /** Forgets the deletions that do not reach beyond a region. All earlier ones are called. */
    synchronized void forget(Locatable span) {
        for (List<Locatable> known : deletions.values()) {
            known.removeIf(deletion -> deletion.getContig().equals(span.getContig())
                    && deletion.getEnd() <= span.getEnd());
        }
    }

    private synchronized boolean covers(GenotypingEngine<?> engine, VariantContext variant) {
        List<Locatable> known = deletions.get(key(engine));
        if (known == null) {
            return false;
        }
        String contig = variant.getContig();
        int start = variant.getStart();
        for (Locatable deletion : known) {
            if (deletion.getContig().equals(contig) && deletion.getStart() < start
                    && start <= deletion.getEnd()) {
                return true;
            }
        }
        return false;
    }

    /** Returns what the engines of all threads have in common that are one engine in GATK. */
    private Object key(GenotypingEngine<?> engine) {
        StandardCallerArgumentCollection configuration = engine.getConfiguration();
        return configuration == usualConfiguration
                ? "usual" : (Object) configuration.genotypeArgs.samplePloidy;
    }
}
