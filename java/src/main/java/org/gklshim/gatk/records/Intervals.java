package org.gklshim.gatk.records;

import htsjdk.samtools.QueryInterval;

/** Finds the records that overlap intervals, as htsjdk does. The records come in order. */
final class Intervals {
    private final QueryInterval[] intervals;
    /** The first interval that the records have not passed. */
    int first;

    /** @param intervals in order */
    Intervals(QueryInterval[] intervals) {
        this.intervals = intervals;
    }

    /** Returns whether the records have passed all intervals. */
    boolean arePassed() {
        return first == intervals.length;
    }

    /** Returns the interval that a record reaches, after it has passed others, or null. */
    QueryInterval reached(int reference, int start) {
        for (; first < intervals.length; first++) {
            QueryInterval interval = intervals[first];
            if (interval.referenceIndex > reference) {
                return null;
            }
            // An interval without an end has the rest of its sequence.
            if (interval.referenceIndex == reference
                    && (interval.end <= 0 || interval.end >= start)) {
                return interval;
            }
        }
        return null;
    }

    /** Returns whether the next record overlaps an interval. */
    boolean overlap(int reference, int start, int end, boolean isUnmapped) {
        QueryInterval interval = reached(reference, start);
        // An unmapped read has the place of its mate.
        return interval != null && (isUnmapped && start != 0 ? start : end) >= interval.start;
    }
}
