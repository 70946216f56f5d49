package org.gklshim.gatk.recalibration;

import htsjdk.samtools.SAMSequenceRecord;
import htsjdk.samtools.util.Locatable;
import java.util.List;
import org.broadinstitute.hellbender.engine.FeatureContext;
import org.broadinstitute.hellbender.engine.FeatureManager;
import org.broadinstitute.hellbender.engine.ReferenceDataSource;
import org.broadinstitute.hellbender.utils.SimpleInterval;

/** A piece of the reference, with marks where known sites of variation are. */
final class MaskedReference {
    /** The mark of a position in a known site. */
    static final int SITE = 8;
    /** The mark of a position whose known site goes on to the next position. */
    static final int GOES_ON = 16;
    /** The bits of a position that hold its base, as {@link BaseCodes}. */
    static final int BASE = 7;

    /** Where pieces come from. Several threads may ask. */
    static final class Source {
        private final ReferenceDataSource reference;
        private final FeatureManager features;
        private final List<?> knownSites;

        Source(ReferenceDataSource reference, FeatureManager features, List<?> knownSites) {
            this.reference = reference;
            this.features = features;
            this.knownSites = knownSites;
        }

        /**
         * Returns a piece that has at least the given positions, or null if the reference does not
         * have these.
         *
         * @param number the number of the contig in the header of the reads
         * @param preferredEnd how far the piece goes if it can
         * @throws RuntimeException if a file cannot be read
         */
        synchronized MaskedReference piece(int number, String contig, int start, int end,
                int preferredEnd) {
            SAMSequenceRecord sequence = reference.getSequenceDictionary().getSequence(contig);
            if (sequence == null || end > sequence.getSequenceLength()) {
                return null;
            }
            int to = Math.max(end, Math.min(preferredEnd, sequence.getSequenceLength()));
            byte[] bases = reference.queryAndPrefetch(contig, start, to).getBases();
            MaskedReference piece = new MaskedReference(number, start, bases);
            SimpleInterval interval = new SimpleInterval(contig, start, to);
            for (Object site : new FeatureContext(features, interval).getValues(knownSites)) {
                if (!piece.mark((Locatable) site)) {
                    return null;
                }
            }
            return piece;
        }
    }

    private final int contig;
    /** The first position, from 1 on. */
    final int start;
    /** A base and marks for each position. */
    final byte[] positions;

    private MaskedReference(int contig, int start, byte[] bases) {
        this.contig = contig;
        this.start = start;
        positions = new byte[bases.length];
        for (int k = 0; k < bases.length; k++) {
            positions[k] = BaseCodes.of(bases[k]);
        }
    }

    /** Returns whether the piece has these positions. */
    boolean covers(int otherContig, int from, int to) {
        return from >= start && to < (long) start + positions.length && contig == otherContig;
    }

    /** Marks a known site. Returns false if it ends before it starts. */
    private boolean mark(Locatable site) {
        if (site.getEnd() < site.getStart()) {
            return false;
        }
        int first = Math.max(site.getStart() - start, 0);
        int last = Math.min(site.getEnd() - start, positions.length - 1);
        for (int k = first; k <= last; k++) {
            positions[k] |= k + start < site.getEnd() ? SITE | GOES_ON : SITE;
        }
        return true;
    }
}
