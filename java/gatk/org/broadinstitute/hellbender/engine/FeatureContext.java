package org.broadinstitute.hellbender.engine;

import org.broadinstitute.hellbender.utils.SimpleInterval;

/** Part of GATK's class. */
public class FeatureContext {
    public FeatureContext(FeatureManager manager, SimpleInterval interval) {}
}
