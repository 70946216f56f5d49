package org.broadinstitute.hellbender.utils.variant;

import htsjdk.samtools.util.Locatable;
import htsjdk.variant.variantcontext.VariantContext;
import java.util.Collection;

/** Part of GATK's class. */
public final class GATKVariantContextUtils {
    public static native VariantContext getOverlappingVariantContext(Locatable location,
            Collection<VariantContext> variants);
}
