package org.broadinstitute.hellbender.engine.filters;

import org.broadinstitute.hellbender.utils.read.GATKRead;

/** Part of GATK's class. */
public abstract class ReadFilter {
    public abstract boolean test(GATKRead read);
}
