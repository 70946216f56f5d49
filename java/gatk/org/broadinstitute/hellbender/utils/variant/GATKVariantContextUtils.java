package org.broadinstitute.hellbender.utils.variant;

import htsjdk.samtools.util.Locatable;
import htsjdk.variant.variantcontext.VariantContext;
import java.util.Collection;
import java.util.List;

/** Part of GATK's class. */
public final class GATKVariantContextUtils {
    public static native VariantContext getOverlappingVariantContext(Locatable location,
            Collection<VariantContext> variants);

    public static native List<?> noCallAlleles(int ploidy);
}
