package org.broadinstitute.hellbender.utils.iterators;

import java.util.List;
import org.broadinstitute.hellbender.utils.read.GATKRead;

/** Part of GATK's class. */
public class ReadCachingIterator {
    public native List<GATKRead> consumeCachedReads();
}
