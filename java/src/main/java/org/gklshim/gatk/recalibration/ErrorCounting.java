package org.gklshim.gatk.recalibration;

import htsjdk.samtools.util.Locatable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.broadinstitute.hellbender.engine.FeatureContext;
import org.broadinstitute.hellbender.engine.ReadWalker;
import org.broadinstitute.hellbender.engine.ReferenceDataSource;
import org.broadinstitute.hellbender.tools.walkers.bqsr.BaseRecalibrator;
import org.broadinstitute.hellbender.utils.recalibration.BaseRecalibrationEngine;
import org.broadinstitute.hellbender.utils.recalibration.RecalibrationArgumentCollection;
import org.gklshim.gatk.Members;
import org.gklshim.gatk.records.BamRecord;
import org.gklshim.gatk.records.RecordTask;
import org.gklshim.gatk.records.RecordTool;
import org.gklshim.gatk.records.Records;

/**
 * BaseRecalibrator's work. Each thread counts in arrays of its own, which are added to GATK's
 * tables at the end, or earlier where they take too much of the heap. GATK's engine gets the reads
 * that are unusual.
 */
public final class ErrorCounting implements RecordTool {
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
    private final List<Worker> workers = new ArrayList<>();
    private final AtomicBoolean isHeapShort = new AtomicBoolean();
    private int threads;

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
    public static ErrorCounting of(ReadWalker walker) {
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
    public int threads() {
        // GATK warns of the first read without a platform.
        threads = RecalibrationThreads.count(
                header.hasPlatforms() ? null : "a read group without a platform");
        return threads;
    }

    @Override
    public Worker worker() {
        Worker worker = new Worker();
        workers.add(worker);
        return worker;
    }

    @Override
    public void finish() {
        long processed = (long) Members.get(engine, "numReadsProcessed");
        for (Worker worker : workers) {
            worker.own.move();
            processed += worker.counted;
        }
        Members.replace(engine, "numReadsProcessed", processed);
    }

    private void heapIsShort() {
        if (!isHeapShort.getAndSet(true)) {
            Part.INSTANCE.info("the heap is small for the counts of " + threads
                    + " threads: they go to GATK's tables on the way");
        }
    }

    /** Counts the reads of one thread. */
    private final class Worker implements RecordTool.Worker {
        private final CovariateCounts own = new CovariateCounts(
                engine.getRecalibrationTables(), keys, source,
                ErrorCounting.this::heapIsShort, threads, arguments.MISMATCHES_CONTEXT_SIZE);
        private final ErrorCounter counter = new ErrorCounter(own, arguments);
        private final ReadArrays arrays =
                new ReadArrays(header, arguments.useOriginalBaseQualities);
        private MaskedReference piece;
        private long counted;

        @Override
        public void work(Records records, RecordTask task) {
            // GATK refuses the first read of a group without a platform, or gives it one.
            if (records.isUsual() && arrays.take(records.record())
                    && header.hasPlatform(arrays.readGroup) && counter.isUsual(arrays)
                    && counter.makeRoom(arrays) && findPiece(records)) {
                counter.count(arrays, piece);
                counted++;
            } else {
                process(records);
            }
        }

        /** Finds a piece of the reference that has the read. */
        private boolean findPiece(Records records) {
            BamRecord record = records.record();
            int from = Math.max(1, record.position - 1);
            int end = record.lastPosition();
            if (piece != null && piece.covers(record.reference, from, end)) {
                return true;
            }
            int preferred = Math.min(records.lastStart(), from + MAX_PIECE) + MARGIN;
            try {
                piece = source.piece(record.reference, header.contig(record.reference), from, end,
                        preferred);
            } catch (RuntimeException e) {
                // GATK fails, too, when it reads the same.
                piece = null;
            }
            return piece != null;
        }

        /** Lets GATK process a read. */
        private void process(Records records) {
            synchronized (source) {
                @SuppressWarnings("unchecked")
                List<Locatable> sites = (List<Locatable>) new FeatureContext(
                        walker.features, records.place()).getValues(knownSites);
                engine.processRead(records.read(), reference, sites);
            }
        }
    }
}
