package org.broadinstitute.hellbender.engine;

import org.broadinstitute.hellbender.utils.SimpleInterval;

/** Part of GATK's class. */
public final class ReferenceContext {
    public ReferenceContext(ReferenceDataSource source, SimpleInterval interval) {}
}
