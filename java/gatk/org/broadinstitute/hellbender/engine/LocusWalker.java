package org.broadinstitute.hellbender.engine;

import java.util.Iterator;
import org.broadinstitute.hellbender.engine.filters.CountingReadFilter;

/** Part of GATK's class, with a method that the agent adds. */
public abstract class LocusWalker extends GATKTool {
    public native Iterator<AlignmentContext> getAlignmentContextIterator$original(
            CountingReadFilter filter);
}
