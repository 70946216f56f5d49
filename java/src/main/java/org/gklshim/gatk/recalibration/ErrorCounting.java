package org.gklshim.gatk.recalibration;

import htsjdk.samtools.SAMRecord;
import htsjdk.samtools.util.Locatable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.broadinstitute.hellbender.engine.FeatureContext;
import org.broadinstitute.hellbender.engine.ReadWalker;
import org.broadinstitute.hellbender.engine.ReferenceDataSource;
import org.broadinstitute.hellbender.tools.walkers.bqsr.BaseRecalibrator;
import org.broadinstitute.hellbender.utils.read.GATKRead;
import org.broadinstitute.hellbender.utils.recalibration.BaseRecalibrationEngine;
import org.broadinstitute.hellbender.utils.recalibration.RecalibrationArgumentCollection;
import org.gklshim.gatk.Members;

/**
 * BaseRecalibrator's work. Each thread counts in arrays of its own, which are added to GATK's
 * tables at the end. GATK's engine gets the reads that are unusual.
 */
final class ErrorCounting implements ReadTool {
    /** GATK allows 13 bases. A thread has a count for each context, read group and quality. */
    private static final int MAX_CONTEXT_SIZE = 8;
    private static final int MAX_CYCLE = 100_000;
    /** How far a piece of the reference goes beyond the last read of a task, at least. */
    private static final int MARGIN = 512;
    private static final int MAX_PIECE = 1 << 14;

    private final ReadWalker walker;
    private final BaseRecalibrationEngine engine;
    private final RecalibrationArgumentCollection arguments;
    private final ReferenceDataSource reference;
    private final List<?> knownSites;
    private final ReadHeader header;
    /** The number of each read group in GATK's tables. */
    private final int[] keys;
    /** The source of pieces. Who has its lock may use GATK's engine and its sources. */
    private final MaskedReference.Source source;
    private final List<CovariateCounts> counts = new ArrayList<>();
    private long processed;

    private ErrorCounting(ReadWalker walker, RecalibrationArgumentCollection arguments) {
        this.walker = walker;
        this.arguments = arguments;
        engine = (BaseRecalibrationEngine) Members.get(walker, "recalibrationEngine");
        reference = (ReferenceDataSource) Members.get(walker, "referenceDataSource");
        knownSites = (List<?>) Members.get(walker, "knownSites");
        header = new ReadHeader(walker.getHeaderForReads());
        keys = header.keys();
        source = new MaskedReference.Source(reference, walker.features, knownSites);
    }

    /** Returns our way to do the work, or null if it is another tool, or GATK has to do it. */
    static ErrorCounting of(ReadWalker walker) {
        if (!(walker instanceof BaseRecalibrator)) {
            return null;
        }
        RecalibrationArgumentCollection arguments =
                (RecalibrationArgumentCollection) Members.get(walker, "recalArgs");
        String reason = reason(arguments);
        if (reason != null) {
            Part.INSTANCE.fallBack(reason);
            return null;
        }
        return new ErrorCounting(walker, arguments);
    }

    /** Returns the option because of which GATK has to do the work, or null. */
    private static String reason(RecalibrationArgumentCollection arguments) {
        if (arguments.enableBAQ) {
            return "--enable-baq";
        }
        if (arguments.computeIndelBQSRTables) {
            return "--compute-indel-bqsr-tables";
        }
        if (arguments.MISMATCHES_CONTEXT_SIZE > MAX_CONTEXT_SIZE) {
            return "--mismatches-context-size";
        }
        return arguments.MAXIMUM_CYCLE_VALUE > MAX_CYCLE ? "--maximum-cycle-value" : null;
    }

    @Override
    public String serialReason() {
        // GATK warns of the first read without a platform.
        return header.hasPlatforms() ? null : "a read group without a platform";
    }

    @Override
    public Consumer<ReadTask> worker(ReadFilters filters) {
        CovariateCounts own = new CovariateCounts(header.readGroups(),
                arguments.MAXIMUM_CYCLE_VALUE, arguments.MISMATCHES_CONTEXT_SIZE);
        counts.add(own);
        return new Worker(filters, own)::work;
    }

    @Override
    public void accept(GATKRead read) {
        throw new IllegalStateException();
    }

    @Override
    public void finish() {
        for (CovariateCounts own : counts) {
            own.moveTo(engine.getRecalibrationTables(), keys);
        }
        Members.replace(engine, "numReadsProcessed",
                (long) Members.get(engine, "numReadsProcessed") + processed);
    }

    /** Counts the reads of one thread. */
    private final class Worker {
        private final ReadFilters filters;
        private final CovariateCounts own;
        private final ErrorCounter counter;
        private final ReadArrays arrays =
                new ReadArrays(header, arguments.useOriginalBaseQualities);
        private MaskedReference piece;

        Worker(ReadFilters filters, CovariateCounts own) {
            this.filters = filters;
            this.own = own;
            counter = new ErrorCounter(own, arguments);
        }

        void work(ReadTask task) {
            int counted = 0;
            int passed = 0;
            GATKRead last = null;
            for (GATKRead read : task.reads) {
                if (count(read, task)) {
                    counted++;
                } else if (!process(read)) {
                    continue;
                }
                passed++;
                last = read;
            }
            task.setPassed(passed, last);
            synchronized (source) {
                processed += counted;
                if (own.areFull()) {
                    own.moveTo(engine.getRecalibrationTables(), keys);
                }
            }
        }

        /** Counts a read that passes the filters. Returns false if GATK has to look at it. */
        private boolean count(GATKRead read, ReadTask task) {
            SAMRecord record = ReadArrays.record(read);
            // GATK refuses the first read of a group without a platform, or gives it one.
            if (record == null || !arrays.take(record) || !header.hasPlatform(arrays.readGroup)
                    || !counter.isUsual(arrays)
                    || !findPiece(record.getReferenceName(), task)
                    || filters != null && !filters.letPass(arrays)) {
                return false;
            }
            counter.count(arrays, piece);
            return true;
        }

        /** Finds a piece of the reference that has the read. */
        private boolean findPiece(String contig, ReadTask task) {
            int from = Math.max(1, arrays.start - 1);
            long end = arrays.end();
            if (piece != null && piece.covers(contig, from, end)) {
                return true;
            }
            int last = ReadArrays.record(task.reads.get(task.reads.size() - 1))
                    .getAlignmentStart();
            int preferred = Math.min(last, from + MAX_PIECE) + MARGIN;
            try {
                piece = source.piece(contig, from, end, preferred);
            } catch (RuntimeException e) {
                // GATK fails, too, when it reads the same.
                piece = null;
            }
            return piece != null;
        }

        /** Lets GATK filter and process a read. Returns whether it has passed. */
        private boolean process(GATKRead read) {
            if (filters != null && !filters.test(read)) {
                return false;
            }
            synchronized (source) {
                @SuppressWarnings("unchecked")
                List<Locatable> sites = (List<Locatable>) new FeatureContext(
                        walker.features, ReadTask.interval(read)).getValues(knownSites);
                engine.processRead(read, reference, sites);
            }
            return true;
        }
    }
}
