package org.broadinstitute.hellbender.tools.walkers.genotyper;

import htsjdk.samtools.util.Locatable;
import htsjdk.variant.variantcontext.VariantContext;
import java.util.Collection;
import java.util.PriorityQueue;

/** Part of GATK's class, with two methods that the agent adds, and a field that it opens. */
public abstract class GenotypingEngine<C extends StandardCallerArgumentCollection> {
    public final PriorityQueue<Locatable> upstreamDeletionsLoc = null;

    public native C getConfiguration();

    public native void recordDeletions$original(VariantContext variant, Collection<?> emitted);

    public native boolean isVcCoveredByDeletion$original(VariantContext variant);
}
