package org.gklshim.gatk.recalibration;

import java.util.ArrayList;
import java.util.List;
import org.broadinstitute.hellbender.utils.SimpleInterval;
import org.broadinstitute.hellbender.utils.read.GATKRead;

/** Consecutive reads of the input, which one thread works on. */
final class ReadTask {
    final List<GATKRead> reads = new ArrayList<>();
    /** The reads that the tool gets in order, after a thread has worked on them. */
    final List<GATKRead> results = new ArrayList<>();
    /** How many reads have passed the filters. */
    int passed;
    /** Where the last one of these is; null if it has no place. */
    SimpleInterval place;
    /** What ended the work, after all results; null if nothing did. */
    Throwable failure;

    /** Notes how many reads have passed, and the last one of them. */
    void setPassed(int count, GATKRead last) {
        passed = count;
        place = last == null ? null : interval(last);
        reads.clear();
    }

    /** Returns GATK's interval of a read: null if the read has no place. */
    static SimpleInterval interval(GATKRead read) {
        String contig = read.getContig();
        int start = read.getStart();
        int end = read.getEnd();
        return contig != null && start > 0 && end >= start
                ? new SimpleInterval(contig, start, end) : null;
    }
}
