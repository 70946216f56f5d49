package org.gklshim.gatk.walk;

import org.broadinstitute.hellbender.engine.ReferenceDataSource;
import org.broadinstitute.hellbender.utils.SimpleInterval;
import org.broadinstitute.hellbender.utils.read.GATKRead;

/** A part of the reference, which moves along a contig. */
final class ReferenceWindow {
    private static final int LENGTH = 1 << 14;

    private final ReferenceDataSource source;
    private int contigLength = -1;
    private int start = 1;
    private byte[] bases = new byte[0];

    ReferenceWindow(ReferenceDataSource source) {
        this.source = source;
    }

    /** Returns the length of the contig of the reads: a walk has only one. */
    int contigLength(GATKRead read) {
        if (contigLength < 0) {
            contigLength = source.getSequenceDictionary()
                    .getSequence(read.getContig()).getSequenceLength();
        }
        return contigLength;
    }

    /** Returns bases that reach from the start of a read to a position, or to the contig's end. */
    byte[] load(GATKRead read, int end) {
        int last = Math.min(end, contigLength(read));
        boolean isLoaded = read.getStart() >= start && last < start + bases.length;
        if (!isLoaded && read.getStart() <= last) {
            start = read.getStart();
            bases = source.queryAndPrefetch(new SimpleInterval(read.getContig(), start,
                    Math.min(Math.max(last, start + LENGTH), contigLength))).getBases();
        }
        return bases;
    }

    /** Returns the position of the first of these bases. */
    int start() {
        return start;
    }
}
