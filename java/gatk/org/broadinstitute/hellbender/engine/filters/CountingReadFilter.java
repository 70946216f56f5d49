package org.broadinstitute.hellbender.engine.filters;

import org.broadinstitute.hellbender.utils.read.GATKRead;

/** Part of GATK's class. */
public class CountingReadFilter extends ReadFilter {
    @Override
    public native boolean test(GATKRead read);

    public native String getSummaryLine();
}
