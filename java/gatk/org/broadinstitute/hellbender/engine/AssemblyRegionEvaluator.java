package org.broadinstitute.hellbender.engine;

import org.broadinstitute.hellbender.utils.activityprofile.ActivityProfileState;

/** GATK's interface. */
public interface AssemblyRegionEvaluator {
    ActivityProfileState isActive(AlignmentContext alignment, ReferenceContext reference,
            FeatureContext features);
}
