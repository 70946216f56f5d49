package org.gklshim.gatk.pileups;

import htsjdk.samtools.SAMFileHeader;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import org.broadinstitute.hellbender.engine.AlignmentContext;
import org.broadinstitute.hellbender.engine.LocusWalker;
import org.broadinstitute.hellbender.engine.filters.CountingReadFilter;
import org.broadinstitute.hellbender.utils.SimpleInterval;
import org.broadinstitute.hellbender.utils.read.GATKRead;
import org.broadinstitute.hellbender.utils.read.ReadUtils;
import org.gklshim.gatk.Members;

/** The pileups that a tool walks over. */
public final class LocusPileups {
    private static final String TOOL =
            "org.broadinstitute.hellbender.tools.walkers.contamination.GetPileupSummaries";

    private LocusPileups() {}

    /** Takes the place of the method of {@link LocusWalker}. */
    @SuppressWarnings("unchecked")
    public static Iterator<AlignmentContext> getAlignmentContextIterator(LocusWalker walker,
            CountingReadFilter filter) {
        List<SimpleInterval> intervals = walker.getClass().getName().equals(TOOL)
                ? (List<SimpleInterval>) Members.get(walker, "userIntervals") : null;
        if (intervals == null || intervals.isEmpty()
                || (int) Members.get(walker, "maxDepthPerSample") != 0
                || !isKnown(walker.getHeaderForReads(), intervals)) {
            return walker.getAlignmentContextIterator$original(filter);
        }
        Stream<GATKRead> reads =
                (Stream<GATKRead>) Members.call(walker, "getTransformedReadStream", filter);
        return new SitePileups(reads.iterator(), walker.getHeaderForReads(), intervals);
    }

    /** Returns whether the reads' header has samples, and all sequences of intervals. */
    private static boolean isKnown(SAMFileHeader header, List<SimpleInterval> intervals) {
        for (SimpleInterval interval : intervals) {
            if (header.getSequence(interval.getContig()) == null) {
                return false;
            }
        }
        return !ReadUtils.getSamplesFromHeader(header).isEmpty();
    }
}
