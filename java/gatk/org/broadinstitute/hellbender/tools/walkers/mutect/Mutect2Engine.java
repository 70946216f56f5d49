package org.broadinstitute.hellbender.tools.walkers.mutect;

import htsjdk.variant.variantcontext.VariantContext;
import java.util.List;
import org.broadinstitute.hellbender.engine.AlignmentContext;
import org.broadinstitute.hellbender.engine.AssemblyRegion;
import org.broadinstitute.hellbender.engine.AssemblyRegionEvaluator;
import org.broadinstitute.hellbender.engine.FeatureContext;
import org.broadinstitute.hellbender.engine.ReferenceContext;
import org.broadinstitute.hellbender.utils.activityprofile.ActivityProfileState;

/** Part of GATK's class. */
public final class Mutect2Engine implements AssemblyRegionEvaluator {
    public native List<VariantContext> callRegion(AssemblyRegion region,
            ReferenceContext reference, FeatureContext features);

    @Override
    public native ActivityProfileState isActive(AlignmentContext alignment,
            ReferenceContext reference, FeatureContext features);

    public static native double logLikelihoodRatio(int references, List<Byte> qualities);

    public static native double logLikelihoodRatio(int references, int alternatives,
            double errorProbability);

    public native boolean emitReferenceConfidence();
}
