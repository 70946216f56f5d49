package org.broadinstitute.hellbender.engine;

import java.util.Collection;
import java.util.List;
import org.broadinstitute.hellbender.utils.SimpleInterval;

/** Part of GATK's class. */
public class FeatureContext {
    public FeatureContext(FeatureManager manager, SimpleInterval interval) {}

    public native List<?> getValues(Collection<?> inputs);
}
