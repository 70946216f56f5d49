package org.gklshim.gatk.pileups;

import java.util.Collections;
import java.util.function.Predicate;
import org.broadinstitute.hellbender.engine.AlignmentContext;
import org.broadinstitute.hellbender.utils.BaseUtils;
import org.broadinstitute.hellbender.utils.SimpleInterval;
import org.broadinstitute.hellbender.utils.pileup.PileupElement;
import org.broadinstitute.hellbender.utils.pileup.ReadPileup;
import org.gklshim.gatk.AlignedRead;

/** A position, and the bases that reads have there. */
final class Site {
    /** The index of A, C, G or T for the four bits of a base, or -1. */
    private static final int[] INDEX = {-1, 0, 1, -1, 2, -1, -1, -1, 3, -1, -1, -1, -1, -1, -1, -1};

    /** A pileup that knows its bases, but not whose they are. */
    private static final class CountedPileup extends ReadPileup {
        private final int[] counts;

        CountedPileup(SimpleInterval location, int[] counts) {
            super(location, Collections.emptyList());
            this.counts = counts;
        }

        @Override
        public int[] getBaseCounts() {
            return counts;
        }

        /** GATK filters by mapping quality: see {@link Sites}. */
        @Override
        public ReadPileup makeFilteredPileup(Predicate<PileupElement> filter) {
            return this;
        }
    }

    final SimpleInterval interval;
    final int sequence;
    final int position;
    private final int[] counts = new int[4];
    /** How many reads have a base or a deletion here. */
    private int depth;

    Site(SimpleInterval interval, int sequence, int position) {
        this.interval = interval;
        this.sequence = sequence;
        this.position = position;
    }

    /** Notes a base that is deleted, or that GATK does not count. */
    void addUncounted() {
        depth++;
    }

    /** Counts a base, of which four bits are given. */
    void add(int base) {
        depth++;
        count(INDEX[base]);
    }

    /**
     * Counts a read's base, if it has one here.
     *
     * @param isCounted whether GATK counts the bases of the read
     */
    void add(AlignedRead read, boolean isCounted) {
        PileupElement element = read.at(position);
        if (element != null) {
            depth++;
            if (isCounted && !element.isDeletion()) {
                count(BaseUtils.simpleBaseToBaseIndex(element.getBase()));
            }
        }
    }

    private void count(int index) {
        if (index >= 0) {
            counts[index]++;
        }
    }

    /** Returns GATK's form of the pileup, or null if there is none here. */
    AlignmentContext context() {
        // The position behind an interval is a site, too: see SitePileups.
        if (depth == 0 || position > interval.getEnd()) {
            return null;
        }
        SimpleInterval location = new SimpleInterval(interval.getContig(), position, position);
        return new AlignmentContext(location, new CountedPileup(location, counts));
    }
}
