package org.gklshim.gatk.walk;

import org.broadinstitute.hellbender.engine.ReferenceDataSource;
import org.broadinstitute.hellbender.utils.SimpleInterval;
import org.broadinstitute.hellbender.utils.read.GATKRead;

/** A part of the reference, which moves along a contig. */
final class ReferenceWindow {
    private static final int LENGTH = 1 << 14;

    private final ReferenceDataSource source;
    /** The end of the contig. */
    private int end = -1;
    private int start = 1;
    private byte[] bases = new byte[0];

    ReferenceWindow(ReferenceDataSource source) {
        this.source = source;
    }

    /** Returns bases that reach from the start of a read to a position, or to the contig's end. */
    byte[] load(GATKRead read, int last) {
        if (end < 0) {
            end = source.getSequenceDictionary().getSequence(read.getContig()).getSequenceLength();
        }
        int first = read.getStart();
        boolean isLoaded = first >= start && Math.min(last, end) < start + bases.length;
        if (!isLoaded && first <= end) {
            start = first;
            int loaded = Math.min(Math.max(last, start) + LENGTH, end);
            bases = source.queryAndPrefetch(new SimpleInterval(read.getContig(), start, loaded))
                    .getBases();
        }
        return bases;
    }

    /** Returns the position of the first of these bases. */
    int start() {
        return start;
    }

    /** Returns the end of the contig. */
    int end() {
        return end;
    }
}
