package org.gklshim.gatk.regions;

import htsjdk.samtools.util.Locatable;
import htsjdk.samtools.util.Log.LogLevel;
import htsjdk.variant.variantcontext.VariantContext;
import htsjdk.variant.variantcontext.writer.VariantContextWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.broadinstitute.hellbender.engine.AssemblyRegion;
import org.broadinstitute.hellbender.engine.AssemblyRegionIterator;
import org.broadinstitute.hellbender.engine.AssemblyRegionWalker;
import org.broadinstitute.hellbender.engine.FeatureContext;
import org.broadinstitute.hellbender.engine.FeatureManager;
import org.broadinstitute.hellbender.engine.MultiIntervalLocalReadShard;
import org.broadinstitute.hellbender.engine.ProgressMeter;
import org.broadinstitute.hellbender.engine.ReferenceContext;
import org.broadinstitute.hellbender.engine.ReferenceDataSource;
import org.broadinstitute.hellbender.utils.LoggingUtils;
import org.gklshim.Log;
import org.gklshim.gatk.Members;
import org.gklshim.gatk.threads.OrderedTasks;
import org.gklshim.gatk.threads.Threads;

/**
 * The threads that call the regions of a tool, while the tool's own thread finds these. Each thread
 * has its own engine of the tool. The variants are written in the order of the regions.
 */
final class RegionThreads {
    /** How much of the heap a region needs for each of its reads until it is written, roughly. */
    private static final long BYTES_IN_FLIGHT = 20 << 10;
    /** How much of the heap it needs for each of its reads while a thread calls it, roughly. */
    private static final long BYTES_RUNNING = 64 << 10;
    /** One that takes long holds up the results of this many later ones at most. */
    private static final int REGIONS_A_THREAD = 64;
    /** The records of this many positions need as much of the heap as a read, roughly. */
    private static final int POSITIONS_LIKE_A_READ = 32;

    /** What is written for a region. */
    private static final class Called {
        final Locatable span;
        final List<VariantContext> variants;
        final List<Runnable> bamCalls;
        final HighQd.OfRegion highQds;
        final List<FeatureQuery> queries;
        /** What the call threw after the BAM calls, or null. */
        final Throwable failure;

        Called(Locatable span, List<VariantContext> variants, List<Runnable> bamCalls,
                HighQd.OfRegion highQds, List<FeatureQuery> queries, Throwable failure) {
            this.span = span;
            this.variants = variants;
            this.bamCalls = bamCalls;
            this.highQds = highQds;
            this.queries = queries;
            this.failure = failure;
        }

        static Called nothing(Locatable span) {
            return new Called(span, Collections.emptyList(), Collections.emptyList(),
                    HighQd.OfRegion.NONE, Collections.emptyList(), null);
        }
    }

    private final AssemblyRegionWalker walker;
    private final Caller caller;
    private final VariantContextWriter writer;
    private final ProgressMeter progress;
    private final SharedReference reference;
    /** Closes what threads have beside what the tool has. */
    private final List<Runnable> closers = new ArrayList<>();
    private final OrderedTasks<AssemblyRegion, Called> tasks;
    /** The features that the tool's own thread asks for. Null if there are none. */
    private final FeatureQueries ownQueries;
    /** What the search for a region has asked for, for each region that was not written yet. */
    private final Queue<List<FeatureQuery>> searches = new ConcurrentLinkedQueue<>();
    /** Null if there are no features. */
    private final FeatureReads featureReads;
    private final IntFunction<FeatureManager> managers = this::manager;
    private long highQds;

    private RegionThreads(Caller caller, int threads) {
        this.caller = caller;
        walker = caller.walker;
        writer = (VariantContextWriter) Members.get(walker, "vcfWriter");
        progress = (ProgressMeter) Members.get(walker, "progressMeter");
        reference = new SharedReference((ReferenceDataSource) Members.get(walker, "reference"));
        ownQueries = queries(walker.features);
        featureReads = ownQueries == null ? null : new FeatureReads(walker.features, managers);
        if (featureReads != null) {
            closers.add(featureReads::close);
        }
        long heap = Runtime.getRuntime().maxMemory();
        tasks = new OrderedTasks<>("regions", threads, this::function, this::draw, this::write,
                heap / BYTES_IN_FLIGHT, heap / BYTES_RUNNING, threads * REGIONS_A_THREAD);
    }

    /** Returns the threads for a tool that is about to traverse, or null if it has its own only. */
    static RegionThreads of(AssemblyRegionWalker walker) {
        Caller caller = null;
        try {
            caller = Caller.of(walker);
            if (caller == null) {
                return null;
            }
            int threads = Threads.count(caller.givenThreads());
            if (threads == 1) {
                return null;
            }
            String reason = caller.serialReason();
            if (reason != null) {
                Part.INSTANCE.fallBack(reason);
                return null;
            }
            RegionThreads made = new RegionThreads(caller, threads);
            Part.INSTANCE.info(threads + " threads");
            return made;
        } catch (RuntimeException | OutOfMemoryError e) {
            if (caller != null) {
                caller.restore();
            }
            Part.INSTANCE.warn(e.toString());
            return null;
        }
    }

    /** Runs a traversal, which calls {@link #process}, and waits for all its regions. */
    void run(Runnable traversal) {
        try {
            runInOrder(traversal);
            if (featureReads != null) {
                Log.debug("regions: " + featureReads);
            }
            Log.debug("regions: " + highQds + " values of QD drawn; regions waited "
                    + tasks.taskWaits() + " times for all earlier ones, and the search for regions "
                    + tasks.ownerWaits() + " times");
        } finally {
            close();
        }
    }

    private void close() {
        tasks.close();
        if (ownQueries != null) {
            ownQueries.end(null);
        }
        for (Runnable closer : closers) {
            try {
                closer.run();
            } catch (RuntimeException e) {
                Log.warning("regions: a reader could not be closed: " + e);
            }
        }
        caller.restore();
    }

    /** Returns what calls a region in a thread. Thread 0 is the tool's own. */
    private Function<AssemblyRegion, Called> function(int thread) {
        if (thread == 0) {
            return call(caller.main(), walker.features, ownQueries);
        }
        // The log has what the tool's own engine says when it starts. The others say the same.
        boolean isQuieter = walker.VERBOSITY.compareTo(LogLevel.WARNING) > 0;
        if (isQuieter) {
            LoggingUtils.setLoggingLevel(LogLevel.WARNING);
        }
        try {
            // GATK's reader of features belongs to one thread. A tool may have none.
            FeatureManager own =
                    walker.features == null ? null : manager(CachedSpan.LOOKAHEAD);
            if (own != null) {
                closers.add(own::close);
            }
            FeatureQueries queries = queries(own);
            Engine engine = caller.another(reference);
            closers.add(engine::close);
            return call(engine, own, queries);
        } finally {
            if (isQuieter) {
                LoggingUtils.setLoggingLevel(walker.VERBOSITY);
            }
        }
    }

    /** Opens the tool's files of features, with its buffers for files in a cloud. */
    private FeatureManager manager(int lookahead) {
        return new FeatureManager(walker, lookahead, walker.cloudPrefetchBuffer,
                walker.cloudIndexPrefetchBuffer);
    }

    private FeatureQueries queries(FeatureManager manager) {
        if (manager == null) {
            return null;
        }
        FeatureQueries queries = new FeatureQueries(manager, managers);
        closers.add(queries::close);
        return queries;
    }

    /** Runs a traversal. What fails first, in stock GATK's order, is thrown. */
    private void runInOrder(Runnable traversal) {
        if (ownQueries != null) {
            ownQueries.begin();
        }
        try {
            traversal.run();
        } catch (RuntimeException | Error e) {
            awaitAll();
            throw e;
        }
        awaitAll();
    }

    private void awaitAll() {
        tasks.awaitAll();
        if (featureReads != null) {
            featureReads.add(ownQueries.take());
        }
    }

    /** Finds the regions of a shard, and has each of them called. */
    void process(MultiIntervalLocalReadShard shard, FeatureManager features) {
        Iterator<AssemblyRegion> regions = new AssemblyRegionIterator(shard,
                walker.getHeaderForReads(), reference, features, walker.assemblyRegionEvaluator(),
                walker.assemblyRegionArgs, walker.shouldTrackPileupsForAssemblyRegions());
        while (regions.hasNext()) {
            AssemblyRegion region = regions.next();
            boolean isSkipped = caller.isSkipped(region);
            if (ownQueries != null) {
                if (isSkipped && caller.skippedInput() != null) {
                    ownQueries.skip(caller.skippedInput(), region.getPaddedSpan());
                }
                searches.add(ownQueries.take());
            }
            if (isSkipped) {
                tasks.submitResult(Called.nothing(region.getSpan()));
                continue;
            }
            // Asked before a thread has the region, because it changes the region.
            boolean mustFinish = caller.mustFinish(region);
            tasks.submit(caller.forThread(region), weight(region), caller.mayDraw(region));
            if (mustFinish) {
                tasks.awaitAll();
            }
        }
    }

    /** Returns the weight of a region: its reads, and what a GVCF may have at its positions. */
    private static long weight(AssemblyRegion region) {
        return region.size() + region.getSpan().size() / POSITIONS_LIKE_A_READ + 1;
    }

    /** Returns what calls a region. The queries are null if there are no features. */
    private Function<AssemblyRegion, Called> call(Engine engine, FeatureManager features,
            FeatureQueries queries) {
        return region -> {
            HighQd.OfRegion highQds = HighQd.begin();
            List<FeatureQuery> outer = queries == null ? null : queries.begin();
            List<FeatureQuery> made = Collections.emptyList();
            List<VariantContext> variants = Collections.emptyList();
            Throwable failure = null;
            try {
                variants = engine.call(region,
                        new ReferenceContext(reference, region.getPaddedSpan()),
                        new FeatureContext(features, region.getPaddedSpan()));
            } catch (Throwable e) {
                failure = e;
            } finally {
                HighQd.end();
                if (queries != null) {
                    made = queries.end(outer);
                }
            }
            return new Called(region.getSpan(), variants, engine.takeBamCalls(), highQds, made,
                    failure);
        };
    }

    private void draw(Called called) {
        highQds += called.highQds.draw();
    }

    private void write(Called called) {
        if (featureReads != null) {
            featureReads.add(searches.remove());
            featureReads.add(called.queries);
        }
        called.bamCalls.forEach(Runnable::run);
        if (called.failure != null) {
            OrderedTasks.<RuntimeException>rethrow(called.failure);
        }
        called.variants.forEach(HighQd::finish);
        called.variants.forEach(writer::add);
        caller.finish(called.span);
        progress.update(called.span);
    }
}
