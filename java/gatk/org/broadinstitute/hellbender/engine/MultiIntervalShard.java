package org.broadinstitute.hellbender.engine;

import java.util.List;
import org.broadinstitute.hellbender.utils.SimpleInterval;

/** Part of GATK's interface. */
public interface MultiIntervalShard<T> {
    List<SimpleInterval> getIntervals();
}
