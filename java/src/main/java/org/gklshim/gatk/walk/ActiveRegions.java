package org.gklshim.gatk.walk;

import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMSequenceRecord;
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
        SAMFileHeader header = (SAMFileHeader) Members.get(iterator, "readHeader");
        ReferenceDataSource reference =
                (ReferenceDataSource) Members.get(iterator, "reference");
        String reason = reason(intervals, header, reference);
        if (reason != null) {
            Part.INSTANCE.fallBackOnce(reason);
            return Collections.emptyList();
        }
        Screen screen = Screens.of(evaluator, keepsPileups);
        if (screen == null) {
            return Collections.emptyList();
        }
        return Collections.singletonList(new RegionWalk(intervals,
                reads((ReadCachingIterator) Members.get(iterator, "readCachingIterator")),
                header, reference, (FeatureManager) Members.get(iterator, "features"), evaluator,
                (AssemblyRegionArgumentCollection) Members.get(iterator, "assemblyRegionArgs"),
                screen));
    }

    /** Returns why GATK has to search these intervals, or null. */
    private static String reason(List<SimpleInterval> intervals, SAMFileHeader header,
            ReferenceDataSource reference) {
        String contig = intervals.get(0).getContig();
        // GATK's tools make a shard for each contig. Programs that use it as a library may not.
        if (!intervals.stream().allMatch(interval -> interval.getContig().equals(contig))) {
            return "intervals on several contigs";
        }
        // GATK fails where it first asks for a base that the reference does not have.
        SAMSequenceRecord found = reference.getSequenceDictionary().getSequence(contig);
        int length = header.getSequence(contig).getSequenceLength();
        return found == null || found.getSequenceLength() < length
                ? "a contig that the reference lacks, or has shorter" : null;
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
