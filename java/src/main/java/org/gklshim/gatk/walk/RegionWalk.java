package org.gklshim.gatk.walk;

import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMSequenceDictionary;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import org.broadinstitute.hellbender.engine.AlignmentContext;
import org.broadinstitute.hellbender.engine.AssemblyRegion;
import org.broadinstitute.hellbender.engine.AssemblyRegionEvaluator;
import org.broadinstitute.hellbender.engine.FeatureContext;
import org.broadinstitute.hellbender.engine.FeatureManager;
import org.broadinstitute.hellbender.engine.ReferenceContext;
import org.broadinstitute.hellbender.engine.ReferenceDataSource;
import org.broadinstitute.hellbender.engine.spark.AssemblyRegionArgumentCollection;
import org.broadinstitute.hellbender.utils.IntervalUtils;
import org.broadinstitute.hellbender.utils.SimpleInterval;
import org.broadinstitute.hellbender.utils.activityprofile.ActivityProfileState;
import org.broadinstitute.hellbender.utils.read.GATKRead;

/**
 * A walk along the intervals of a contig. It finds the regions, active and inactive, and the reads
 * of each: those of GATK's AssemblyRegionIterator. A {@link Screen} rejects most positions, and
 * GATK's evaluator sees the pileups of the others.
 */
final class RegionWalk {
    private final ReferenceDataSource reference;
    private final FeatureManager features;
    private final AssemblyRegionEvaluator evaluator;
    private final Screen screen;
    private final String contig;
    private final SAMSequenceDictionary dictionary;
    private final ShardReads source;
    private final Coverage coverage;
    private final RegionProfile profile;
    private final Iterator<SimpleInterval> intervals;

    /** The interval of the next position, or null after the last one. */
    private SimpleInterval interval;
    private int nextPosition;

    /** Regions whose last reads are not taken yet. */
    private final Queue<AssemblyRegion> pending = new ArrayDeque<>();
    private List<GATKRead> lastReads = new ArrayList<>();

    /**
     * Begins a walk.
     *
     * @param intervals intervals of a contig
     * @param reads the reads on the contig, in the order of their positions
     */
    RegionWalk(List<SimpleInterval> intervals, Iterator<GATKRead> reads, SAMFileHeader header,
            ReferenceDataSource reference, FeatureManager features,
            AssemblyRegionEvaluator evaluator, AssemblyRegionArgumentCollection arguments,
            Screen screen) {
        this.reference = reference;
        this.features = features;
        this.evaluator = evaluator;
        this.screen = screen;
        this.intervals = intervals.iterator();
        source = new ShardReads(reads);
        dictionary = header.getSequenceDictionary();
        contig = intervals.get(0).getContig();
        coverage = new Coverage(contig, source, header, reference, screen);
        profile = new RegionProfile(header, contig, arguments);
        nextInterval();
        coverage.moveTo(nextPosition);
    }

    private void nextInterval() {
        interval = intervals.hasNext() ? intervals.next() : null;
        if (interval != null) {
            nextPosition = interval.getStart();
        }
    }

    /** Returns the next region whose reads are all taken, or null after the last one. */
    AssemblyRegion next() {
        AssemblyRegion region = null;
        while (interval != null && region == null) {
            region = addPosition();
        }
        if (interval == null) {
            coverage.moveTo(Coverage.END);
            profile.takeRegions(pending, true);
            if (region == null) {
                region = pending.poll();
            }
        }
        if (region != null) {
            fill(region);
        }
        return region;
    }

    /** Adds a position to the profile. Returns the region that this makes ready, or null. */
    private AssemblyRegion addPosition() {
        int position = nextPosition;
        ActivityProfileState state = coverage.position() == position ? evaluate(position) : null;
        if (position == interval.getEnd()) {
            nextInterval();
        } else {
            nextPosition++;
        }
        // GATK, too, reads on to the next covered position before it hands out a region.
        if (interval != null) {
            coverage.moveTo(nextPosition);
        }
        profile.takeRegions(pending, position != profile.stop() + 1);
        if (state == null) {
            profile.add(position, 0, 0);
        } else {
            profile.add(position, state.isActiveProb(), softClips(state));
        }
        boolean isReady = !pending.isEmpty()
                && position > pending.peek().getPaddedSpan().getEnd();
        return isReady ? pending.poll() : null;
    }

    /** Returns what GATK makes of a covered position, or null if it cannot be active. */
    private ActivityProfileState evaluate(int position) {
        if (!coverage.mayBeActive()) {
            screen.skip(coverage.depth());
            return null;
        }
        SimpleInterval location = new SimpleInterval(contig, position, position);
        return evaluator.isActive(
                new AlignmentContext(location, coverage.pileup(location)),
                new ReferenceContext(reference, location), new FeatureContext(features, location));
    }

    private static int softClips(ActivityProfileState state) {
        return state.getResultState() == ActivityProfileState.Type.HIGH_QUALITY_SOFT_CLIPS
                ? state.getResultValue().intValue() : 0;
    }

    /** Gives a region its reads: those that the region before it has, too, and new ones. */
    private void fill(AssemblyRegion region) {
        SimpleInterval span = region.getPaddedSpan();
        List<GATKRead> reads = new ArrayList<>();
        for (GATKRead read : lastReads) {
            if (span.overlaps(read)) {
                reads.add(read);
            }
        }
        Queue<GATKRead> taken = source.taken();
        // For an unmapped read, this throws GATK's exception.
        while (!taken.isEmpty() && !IntervalUtils.isAfter(taken.peek(), span, dictionary)) {
            GATKRead read = taken.poll();
            if (span.overlaps(read)) {
                reads.add(read);
            }
        }
        region.addAll(reads);
        lastReads = reads;
    }
}
