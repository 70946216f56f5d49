package org.broadinstitute.hellbender.engine;

import java.util.List;
import org.broadinstitute.hellbender.utils.SimpleInterval;
import org.broadinstitute.hellbender.utils.read.GATKRead;

/** Part of GATK's class. */
public final class MultiIntervalLocalReadShard implements MultiIntervalShard<GATKRead> {
    @Override
    public native List<SimpleInterval> getIntervals();
}
