package org.gklshim.gatk.regions;

import htsjdk.samtools.util.Locatable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.IntFunction;
import org.broadinstitute.hellbender.engine.FeatureInput;
import org.broadinstitute.hellbender.engine.FeatureManager;

/**
 * The queries for features that a thread makes through its own manager of GATK.
 *
 * <p>A manager reads ahead of a query, and the earlier queries decide where that begins. So the
 * managers of several threads read lines that the only manager of stock GATK does not read. If a
 * read fails, the query is made again without reading ahead. If that fails, too, stock GATK also
 * fails, at this query or at an earlier one. {@link FeatureReads} finds out where. For it, this
 * class records the queries.
 */
public final class FeatureQueries {
    /** The queries of the thread, while it calls a region or finds regions. */
    private static final ThreadLocal<FeatureQueries> OF_THREAD = new ThreadLocal<>();

    private final IntFunction<FeatureManager> managers;
    private final FeatureManager manager;
    private final FeatureSource[] sources;
    /** What the last read that failed should have read, for each source. */
    private final CachedSpan[] failed;
    private List<FeatureQuery> recorded;
    /** Reads nothing ahead. Null if no read has failed. */
    private FeatureManager exact;

    /**
     * Begins with what a manager has read.
     *
     * @param managers makes a manager that reads this many bases ahead
     */
    FeatureQueries(FeatureManager manager, IntFunction<FeatureManager> managers) {
        this.manager = manager;
        this.managers = managers;
        sources = FeatureSource.of(manager);
        failed = new CachedSpan[sources.length];
        for (int k = 0; k < failed.length; k++) {
            failed[k] = new CachedSpan(null);
        }
    }

    /** Takes the place of the method of {@link FeatureManager}. */
    public static List<?> getFeatures(FeatureManager manager, FeatureInput<?> input,
            Locatable interval) {
        FeatureQueries queries = OF_THREAD.get();
        int source = queries == null || queries.manager != manager ? -1 : queries.source(input);
        return source < 0
                ? manager.getFeatures$original(input, interval) : queries.get(source, interval);
    }

    /** Begins to record the queries of this thread. Returns what {@link #end} needs. */
    List<FeatureQuery> begin() {
        List<FeatureQuery> outer = recorded;
        recorded = new ArrayList<>();
        OF_THREAD.set(this);
        return outer;
    }

    /** Ends what the last call of {@link #begin} began. Returns the queries since {@link #take}. */
    List<FeatureQuery> end(List<FeatureQuery> outer) {
        List<FeatureQuery> made = recorded;
        recorded = outer;
        if (outer == null) {
            OF_THREAD.remove();
        }
        return made;
    }

    /** Returns the queries since the last time, and forgets them. */
    List<FeatureQuery> take() {
        if (recorded.isEmpty()) {
            return Collections.emptyList();
        }
        List<FeatureQuery> taken = recorded;
        recorded = new ArrayList<>();
        return taken;
    }

    /** Records a query that stock GATK makes and this thread does not need. */
    void skip(FeatureInput<?> input, Locatable interval) {
        record(source(input), interval, FeatureQuery.UNKNOWN);
    }

    /** Returns the number of a source, or -1. */
    private int source(FeatureInput<?> input) {
        for (int k = 0; k < sources.length; k++) {
            if (sources[k].input == input) {
                return k;
            }
        }
        // Two options may name one file.
        for (int k = 0; k < sources.length; k++) {
            if (sources[k].input.equals(input)) {
                return k;
            }
        }
        return -1;
    }

    private void record(int source, Locatable interval, int lines) {
        if (!recorded.isEmpty()) {
            FeatureQuery last = recorded.get(recorded.size() - 1);
            if (last.source == source && last.interval.equals(interval)) {
                // The cache holds it.
                return;
            }
        }
        recorded.add(new FeatureQuery(source, interval, lines));
    }

    private List<?> get(int number, Locatable interval) {
        FeatureSource source = sources[number];
        boolean isRead = !source.cached.contains(interval);
        if (isRead && failed[number].overlapsRead(interval)) {
            record(number, interval, FeatureQuery.UNKNOWN);
            return exact(source, interval);
        }
        int before = isRead ? source.line() : 0;
        List<?> features;
        try {
            features = manager.getFeatures$original(source.input, interval);
        } catch (RuntimeException e) {
            source.clearCache();
            failed[number].moveTo(interval);
            record(number, interval, FeatureQuery.UNKNOWN);
            return exact(source, interval);
        }
        source.cached.moveTo(interval);
        record(number, interval, isRead ? source.line() - before : FeatureQuery.UNKNOWN);
        return features;
    }

    private List<?> exact(FeatureSource source, Locatable interval) {
        synchronized (managers) {
            if (exact == null) {
                exact = managers.apply(0);
            }
        }
        return exact.getFeatures$original(source.input, interval);
    }

    /** Closes the managers that this object has made. */
    void close() {
        synchronized (managers) {
            if (exact != null) {
                exact.close();
            }
        }
    }
}
