package org.gklshim.gatk.records;

import htsjdk.samtools.QueryInterval;
import htsjdk.samtools.SAMRecord;

/** The records of a stream that overlap intervals, as htsjdk finds them. */
public final class Intervals {
    private final BamReader records;
    private final QueryInterval[] intervals;
    /** The first interval that the records have not passed. */
    private int first;

    /** @param intervals in order */
    Intervals(BamReader records, QueryInterval[] intervals) {
        this.records = records;
        this.intervals = intervals;
    }

    /** Returns the stream, which is at the record that was found. */
    public BamReader records() {
        return records;
    }

    /** Goes to the next record that overlaps an interval. Returns false if there is none. */
    public boolean next() {
        while (first < intervals.length && records.next()) {
            if (overlaps()) {
                return true;
            }
        }
        return false;
    }

    private boolean overlaps() {
        if (!records.isUsual()) {
            SAMRecord record = records.decoded();
            return overlaps(record.getReferenceIndex(), record.getAlignmentStart(),
                    record.getAlignmentEnd(), record.getReadUnmappedFlag());
        }
        BamRecord record = records.record();
        return overlaps(record.reference, record.position, record.lastPosition(),
                record.has(BamFormat.UNMAPPED));
    }

    private boolean overlaps(int reference, int start, int end, boolean isUnmapped) {
        // An unmapped read has the place of its mate.
        int last = isUnmapped && start != 0 ? start : end;
        for (; first < intervals.length; first++) {
            QueryInterval interval = intervals[first];
            if (interval.referenceIndex > reference) {
                return false;
            }
            // An interval without an end has the rest of its sequence.
            if (interval.referenceIndex == reference
                    && (interval.end <= 0 || interval.end >= start)) {
                return last >= interval.start;
            }
        }
        return false;
    }
}
