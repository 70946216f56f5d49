package org.gklshim.gatk.recalibration;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.logging.log4j.Logger;
import org.broadinstitute.hellbender.engine.ProgressMeter;
import org.broadinstitute.hellbender.engine.ReadWalker;
import org.broadinstitute.hellbender.engine.ReadsDataSource;
import org.broadinstitute.hellbender.utils.read.GATKRead;
import org.gklshim.gatk.Members;
import org.gklshim.gatk.threads.OrderedTasks;
import org.gklshim.gatk.threads.Threads;

/**
 * The traversal of a tool of base quality score recalibration. The tool's own thread reads the
 * input. Several threads filter the reads and work on them. The results stay in order.
 */
public final class RecalibrationTraversal {
    private static final int READS_A_TASK = 1024;
    /** A limit for long reads. */
    private static final int BASES_A_TASK = 1 << 19;
    private static final int TASKS_A_THREAD = 4;
    /** How much of the heap a base of a read in flight needs, roughly. */
    private static final int BYTES_A_BASE = 32;

    private final ReadWalker walker;
    private final ReadTool tool;
    private final ReadFilters filters;
    private final List<ReadFilters> ofThreads = new ArrayList<>();
    private final ProgressMeter progress;

    private RecalibrationTraversal(ReadWalker walker, ReadTool tool, ReadFilters filters) {
        this.walker = walker;
        this.tool = tool;
        this.filters = filters;
        progress = (ProgressMeter) Members.get(walker, "progressMeter");
    }

    /** Traverses the reads. Returns false if GATK has to do it. */
    public static boolean traverse(ReadWalker walker) {
        ReadTool tool = ErrorCounting.of(walker);
        if (tool == null) {
            tool = QualityRecalibration.of(walker);
        }
        if (tool == null) {
            return false;
        }
        new RecalibrationTraversal(walker, tool, new ReadFilters(walker.makeReadFilter())).run();
        return true;
    }

    private void run() {
        OrderedTasks<ReadTask, ReadTask> tasks = start();
        try {
            submitAll(tasks);
            tasks.awaitAll();
        } finally {
            tasks.close();
        }
        tool.finish();
        for (ReadFilters ofThread : ofThreads) {
            ofThread.addTo(filters);
        }
        ((Logger) Members.get(walker, "logger")).info(filters.summary());
    }

    private OrderedTasks<ReadTask, ReadTask> start() {
        String serialReason = tool.serialReason();
        int threads = serialReason == null ? Threads.count() : 1;
        OrderedTasks<ReadTask, ReadTask> tasks = new OrderedTasks<>("recalibration", threads,
                k -> function(), this::handOn,
                Runtime.getRuntime().maxMemory() / BYTES_A_BASE / 4, threads * TASKS_A_THREAD);
        Part.INSTANCE.info((threads == 1 ? "one thread" : threads + " threads")
                + (serialReason == null ? "" : ": " + serialReason));
        return tasks;
    }

    private Function<ReadTask, ReadTask> function() {
        ReadFilters own = null;
        if (filters.areKnown()) {
            own = new ReadFilters(walker.makeReadFilter());
            ofThreads.add(own);
        }
        Consumer<ReadTask> worker = tool.worker(own);
        return task -> {
            try {
                worker.accept(task);
            } catch (Throwable e) {
                // The results of earlier reads come first.
                task.failure = e;
            }
            return task;
        };
    }

    /** Reads the input. What fails first, in stock GATK's order, is thrown. */
    private void submitAll(OrderedTasks<ReadTask, ReadTask> tasks) {
        Iterator<GATKRead> reads =
                ((ReadsDataSource) Members.get(walker, "reads")).iterator();
        ReadTask task = new ReadTask();
        int bases = 0;
        try {
            while (reads.hasNext()) {
                GATKRead read = reads.next();
                if (filters.areKnown() || filters.test(read)) {
                    task.reads.add(read);
                    bases += ReadArrays.length(read);
                    if (task.reads.size() >= READS_A_TASK || bases >= BASES_A_TASK) {
                        ReadTask full = task;
                        int weight = bases;
                        task = new ReadTask();
                        bases = 0;
                        tasks.submit(full, weight);
                    }
                }
            }
        } catch (RuntimeException | Error e) {
            tasks.submit(task, bases);
            tasks.awaitAll();
            throw e;
        }
        tasks.submit(task, bases);
    }

    private void handOn(ReadTask task) {
        task.results.forEach(tool::accept);
        for (int k = 0; k < task.passed; k++) {
            progress.update(task.place);
        }
        if (task.failure != null) {
            OrderedTasks.<RuntimeException>rethrow(task.failure);
        }
    }
}
