package org.gklshim.gatk.regions;

import java.util.List;
import java.util.function.IntFunction;
import org.broadinstitute.hellbender.engine.FeatureManager;

/**
 * The reads of files of features that stock GATK makes in a run, found from the queries of all
 * threads in the order of one thread.
 *
 * <p>A thread has already made most of these reads without a failure. This class makes the others,
 * so a line that GATK cannot read ends the run where stock GATK reads it, with its message.
 */
final class FeatureReads {
    private final IntFunction<FeatureManager> managers;
    /** What stock GATK's caches hold. */
    private final CachedSpan[] cached;
    /** The number of the last line that stock GATK has read, for each source. */
    private final int[] lines;
    private long reads;
    private long ownReads;
    /** Reads for this class. Null if nothing was read. */
    private FeatureManager manager;
    private FeatureSource[] sources;

    /**
     * Begins with what GATK's manager has read.
     *
     * @param managers makes a manager that reads this many bases ahead
     */
    FeatureReads(FeatureManager manager, IntFunction<FeatureManager> managers) {
        this.managers = managers;
        FeatureSource[] first = FeatureSource.of(manager);
        cached = new CachedSpan[first.length];
        lines = new int[first.length];
        for (int k = 0; k < first.length; k++) {
            cached[k] = first[k].cached;
            lines[k] = first[k].line();
        }
    }

    /**
     * Goes on with queries.
     *
     * @throws RuntimeException what stock GATK throws for one of them
     */
    void add(List<FeatureQuery> queries) {
        for (FeatureQuery query : queries) {
            CachedSpan span = cached[query.source];
            if (!span.contains(query.interval)) {
                reads++;
                if (query.lines == FeatureQuery.UNKNOWN) {
                    read(query);
                } else {
                    lines[query.source] += query.lines;
                }
            }
            span.moveTo(query.interval);
        }
    }

    private void read(FeatureQuery query) {
        ownReads++;
        if (manager == null) {
            synchronized (managers) {
                manager = managers.apply(CachedSpan.LOOKAHEAD);
            }
            sources = FeatureSource.of(manager);
        }
        FeatureSource source = sources[query.source];
        source.setLine(lines[query.source]);
        source.clearCache();
        manager.getFeatures$original(source.input, query.interval);
        lines[query.source] = source.line();
    }

    /** Returns how many reads stock GATK makes, and how many were made here, for the log. */
    @Override
    public String toString() {
        return reads + " reads of features, " + ownReads + " in order";
    }

    void close() {
        if (manager != null) {
            manager.close();
        }
    }
}
