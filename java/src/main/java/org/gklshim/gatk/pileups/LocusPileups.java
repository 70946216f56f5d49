package org.gklshim.gatk.pileups;

import htsjdk.samtools.SAMFileHeader;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import org.broadinstitute.hellbender.engine.AlignmentContext;
import org.broadinstitute.hellbender.engine.LocusWalker;
import org.broadinstitute.hellbender.engine.ReadsDataSource;
import org.broadinstitute.hellbender.engine.filters.CountingReadFilter;
import org.broadinstitute.hellbender.utils.SimpleInterval;
import org.broadinstitute.hellbender.utils.read.GATKRead;
import org.broadinstitute.hellbender.utils.read.ReadUtils;
import org.gklshim.GatkPart;
import org.gklshim.gatk.Members;
import org.gklshim.gatk.records.BamInput;
import org.gklshim.gatk.records.ReadBatches;
import org.gklshim.gatk.records.RecordFilters;

/** The pileups that a tool walks over. */
public final class LocusPileups {
    private static final String TOOL =
            "org.broadinstitute.hellbender.tools.walkers.contamination.GetPileupSummaries";

    private static final GatkPart RECORDS = org.gklshim.gatk.records.Part.INSTANCE;

    private LocusPileups() {}

    /** Takes the place of the method of {@link LocusWalker}. */
    @SuppressWarnings("unchecked")
    public static Iterator<AlignmentContext> getAlignmentContextIterator(LocusWalker walker,
            CountingReadFilter filter) {
        if (!walker.getClass().getName().equals(TOOL)) {
            return walker.getAlignmentContextIterator$original(filter);
        }
        List<SimpleInterval> intervals =
                (List<SimpleInterval>) Members.get(walker, "userIntervals");
        SAMFileHeader header = walker.getHeaderForReads();
        String reason = (int) Members.get(walker, "maxDepthPerSample") != 0
                ? "--max-depth-per-sample" : reason(header, intervals);
        if (reason != null) {
            Part.INSTANCE.fallBack(reason);
            return walker.getAlignmentContextIterator$original(filter);
        }
        Part.INSTANCE.info("only at the positions of the intervals");
        SiteReads reads = records(walker, new RecordFilters(filter));
        if (reads == null) {
            Iterator<GATKRead> filtered = ((Stream<GATKRead>) Members.call(walker,
                    "getTransformedReadStream", filter)).iterator();
            reads = new SiteReads(new ReadBatches(filtered, header, read -> true), null, header);
        }
        // From GATK 4.6 on, a filter of reads takes its place.
        int minQuality = (int) Members.get(walker, "minMappingQuality", 0);
        return new SitePileups(reads, header, intervals, minQuality);
    }

    /** Returns the records of the input, or null, and logs why, if GATK has to read them. */
    private static SiteReads records(LocusWalker walker, RecordFilters filters) {
        if (!RECORDS.isUsed()) {
            return null;
        }
        ReadsDataSource source = (ReadsDataSource) Members.get(walker, "reads");
        BamInput input = BamInput.of(source);
        String reason = BamInput.reason(input, filters);
        if (reason != null) {
            RECORDS.fallBack(reason);
            return null;
        }
        return new SiteReads(input.records(source), filters, input.header());
    }

    /** Returns why GATK has to make the pileups, or null. */
    private static String reason(SAMFileHeader header, List<SimpleInterval> intervals) {
        if (intervals == null || intervals.isEmpty()) {
            return "no intervals";
        }
        for (SimpleInterval interval : intervals) {
            if (header.getSequence(interval.getContig()) == null) {
                return "no contig " + interval.getContig() + " in the reads' header";
            }
        }
        return ReadUtils.getSamplesFromHeader(header).isEmpty()
                ? "no sample in the reads' header" : null;
    }
}
