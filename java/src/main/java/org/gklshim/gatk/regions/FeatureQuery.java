package org.gklshim.gatk.regions;

import htsjdk.samtools.util.Locatable;
import org.broadinstitute.hellbender.utils.SimpleInterval;

/** A query for features that a thread has made. */
final class FeatureQuery {
    /** The value of {@link #lines} if the query has not read what stock GATK would read for it. */
    static final int UNKNOWN = -1;

    /** The number of the source in GATK's manager. */
    final int source;
    final SimpleInterval interval;
    /** How many lines GATK reads if its cache does not hold the interval. */
    final int lines;

    FeatureQuery(int source, Locatable interval, int lines) {
        this.source = source;
        this.interval = interval instanceof SimpleInterval
                ? (SimpleInterval) interval
                : new SimpleInterval(
                        interval.getContig(), interval.getStart(), interval.getEnd());
        this.lines = lines;
    }
}
