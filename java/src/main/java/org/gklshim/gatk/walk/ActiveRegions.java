package org.gklshim.gatk.walk;

import htsjdk.samtools.SAMFileHeader;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import org.broadinstitute.hellbender.engine.AssemblyRegion;
import org.broadinstitute.hellbender.engine.AssemblyRegionEvaluator;
import org.broadinstitute.hellbender.engine.AssemblyRegionIterator;
import org.broadinstitute.hellbender.engine.FeatureManager;
import org.broadinstitute.hellbender.engine.MultiIntervalShard;
import org.broadinstitute.hellbender.engine.ReferenceDataSource;
import org.broadinstitute.hellbender.engine.spark.AssemblyRegionArgumentCollection;
import org.broadinstitute.hellbender.utils.SimpleInterval;
import org.broadinstitute.hellbender.utils.iterators.ReadCachingIterator;
import org.broadinstitute.hellbender.utils.read.GATKRead;
import org.gklshim.gatk.Members;

/** The search for active regions: our walk along a contig, or GATK's own for some options. */
public final class ActiveRegions {
    /** The walk of each of GATK's iterators, empty if it is GATK's own. */
    private static final Map<AssemblyRegionIterator, List<RegionWalk>> WALKS =
            Collections.synchronizedMap(new WeakHashMap<>());

    private ActiveRegions() {}

    /** Takes the place of the method of {@link AssemblyRegionIterator}. */
    public static AssemblyRegion loadNextAssemblyRegion(AssemblyRegionIterator iterator) {
        List<RegionWalk> walk = WALKS.get(iterator);
        if (walk == null) {
            walk = begin(iterator);
            WALKS.put(iterator, walk);
        }
        return walk.isEmpty()
                ? iterator.loadNextAssemblyRegion$original() : walk.get(0).next();
    }

    /** Begins our walk, if it can do what this iterator is for. */
    private static List<RegionWalk> begin(AssemblyRegionIterator iterator) {
        AssemblyRegionEvaluator evaluator =
                (AssemblyRegionEvaluator) Members.get(iterator, "evaluator");
        boolean keepsPileups = Members.get(iterator, "pendingAlignmentData") != null;
        List<SimpleInterval> intervals =
                ((MultiIntervalShard<?>) Members.get(iterator, "readShard")).getIntervals();
        Screen screen = isOnOneContig(intervals) ? Screens.of(evaluator, keepsPileups) : null;
        if (screen == null) {
            return Collections.emptyList();
        }
        return Collections.singletonList(new RegionWalk(intervals,
                reads((ReadCachingIterator) Members.get(iterator, "readCachingIterator")),
                (SAMFileHeader) Members.get(iterator, "readHeader"),
                (ReferenceDataSource) Members.get(iterator, "reference"),
                (FeatureManager) Members.get(iterator, "features"), evaluator,
                (AssemblyRegionArgumentCollection) Members.get(iterator, "assemblyRegionArgs"),
                screen));
    }

    /** GATK's tools make a shard for each contig. Programs that use GATK as a library may not. */
    private static boolean isOnOneContig(List<SimpleInterval> intervals) {
        return intervals.stream().map(SimpleInterval::getContig).distinct().count() == 1;
    }

    /**
     * Returns all reads. GATK's constructor has taken the reads at the first covered position, and
     * one more, as our walk does.
     */
    @SuppressWarnings("unchecked")
    private static Iterator<GATKRead> reads(ReadCachingIterator source) {
        Iterator<GATKRead> taken = new ArrayList<>(source.consumeCachedReads()).iterator();
        Iterator<GATKRead> others = (Iterator<GATKRead>) Members.get(source, "wrappedIter");
        return new Iterator<GATKRead>() {
            @Override
            public boolean hasNext() {
                return taken.hasNext() || others.hasNext();
            }

            @Override
            public GATKRead next() {
                return taken.hasNext() ? taken.next() : others.next();
            }
        };
    }
}
