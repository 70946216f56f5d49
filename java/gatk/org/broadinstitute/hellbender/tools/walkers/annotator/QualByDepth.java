package org.broadinstitute.hellbender.tools.walkers.annotator;

import htsjdk.variant.variantcontext.Allele;
import htsjdk.variant.variantcontext.VariantContext;
import java.util.List;
import java.util.Map;
import org.broadinstitute.hellbender.engine.ReferenceContext;
import org.broadinstitute.hellbender.utils.genotyper.AlleleLikelihoods;
import org.broadinstitute.hellbender.utils.read.GATKRead;

/** Part of GATK's class, with two methods that the agent adds. */
public final class QualByDepth {
    public native Map<String, Object> annotate$original(ReferenceContext reference,
            VariantContext variant, AlleleLikelihoods<GATKRead, Allele> likelihoods);

    public static native double fixTooHighQD$original(double qd);

    public native List<String> getKeyNames();
}
