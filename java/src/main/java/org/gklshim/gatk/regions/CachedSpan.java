package org.gklshim.gatk.regions;

import htsjdk.samtools.util.Locatable;
import org.broadinstitute.hellbender.engine.FeatureDataSource;

/**
 * The positions whose features GATK's cache of a source holds. A query inside them cuts the cache
 * at its start. Any other query reads the file: its own positions, and those behind them as far as
 * GATK looks ahead. These are the rules of {@link FeatureDataSource}.
 */
final class CachedSpan {
    static final int LOOKAHEAD = FeatureDataSource.DEFAULT_QUERY_LOOKAHEAD_BASES;

    /** Null if the cache holds nothing. */
    private String contig;
    private int start;
    private int end;

    /** Takes the positions that a cache holds, or null. */
    CachedSpan(Locatable held) {
        if (held != null) {
            contig = held.getContig();
            start = held.getStart();
            end = held.getEnd();
        }
    }

    /** Returns whether a query is answered without reading the file. */
    boolean contains(Locatable query) {
        return query.getContig().equals(contig) && query.getStart() >= start
                && query.getEnd() <= end;
    }

    /** Returns whether the file would be read where it is read for this span. */
    boolean overlapsRead(Locatable query) {
        return query.getContig().equals(contig) && query.getStart() <= end
                && query.getEnd() + LOOKAHEAD >= start;
    }

    /** Goes on to what the cache holds after a query. */
    void moveTo(Locatable query) {
        if (!contains(query)) {
            contig = query.getContig();
            end = query.getEnd() + LOOKAHEAD;
        }
        start = query.getStart();
    }

    /** Goes on to a cache that holds nothing. */
    void clear() {
        contig = null;
    }
}
