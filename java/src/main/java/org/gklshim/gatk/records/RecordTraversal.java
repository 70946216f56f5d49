package org.gklshim.gatk.records;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.apache.logging.log4j.Logger;
import org.broadinstitute.hellbender.engine.ProgressMeter;
import org.broadinstitute.hellbender.engine.ReadWalker;
import org.broadinstitute.hellbender.engine.ReadsDataSource;
import org.gklshim.gatk.Members;
import org.gklshim.gatk.threads.OrderedTasks;

/**
 * The traversal of a tool that takes its reads one by one. The tool's own thread reads the input.
 * Several threads filter the records and work on them. The results stay in order.
 */
public final class RecordTraversal {
    private static final int TASKS_A_THREAD = 4;
    /** The part of the heap for records in flight. */
    private static final int HEAP_PARTS = 4;

    private final ReadWalker walker;
    private final RecordTool tool;
    private final RecordFilters filters;
    private final RecordBatches input;
    private final List<RecordFilters> ofThreads = new ArrayList<>();
    private final ProgressMeter progress;

    private RecordTraversal(ReadWalker walker, RecordTool tool) {
        this.walker = walker;
        this.tool = tool;
        filters = new RecordFilters(walker.makeReadFilter());
        input = input();
        progress = (ProgressMeter) Members.get(walker, "progressMeter");
    }

    /** Traverses the reads. */
    public static void traverse(ReadWalker walker, RecordTool tool) {
        new RecordTraversal(walker, tool).run();
    }

    private RecordBatches input() {
        ReadsDataSource source = (ReadsDataSource) Members.get(walker, "reads");
        BamInput file = Part.INSTANCE.isUsed() ? BamInput.of(source) : null;
        if (BamInput.reason(file, filters) == null) {
            return file.records(source);
        }
        // Filters that are not known may need GATK's own thread.
        return new ReadBatches(source.iterator(), walker.getHeaderForReads(),
                filters.unknown() == null ? read -> true : filters::test);
    }

    private void run() {
        int threads = tool.threads();
        OrderedTasks<RecordTask, RecordTask> tasks = new OrderedTasks<>("records", threads,
                k -> function(), this::handOn, Runtime.getRuntime().maxMemory() / HEAP_PARTS,
                threads * TASKS_A_THREAD);
        try {
            for (RecordBatch batch; (batch = input.next()) != null;) {
                tasks.submit(tool.task(batch), batch.weight);
            }
            tasks.awaitAll();
        } finally {
            tasks.close();
        }
        tool.finish();
        for (RecordFilters ofThread : ofThreads) {
            ofThread.addCounts(filters);
        }
        ((Logger) Members.get(walker, "logger")).info(filters.summary());
    }

    private Function<RecordTask, RecordTask> function() {
        RecordFilters own = null;
        if (filters.unknown() == null) {
            own = new RecordFilters(walker.makeReadFilter());
            ofThreads.add(own);
        }
        RecordFilters known = own;
        Records records = input.records();
        RecordTool.Worker worker = tool.worker();
        return task -> {
            try {
                work(task, records, known, worker);
            } catch (Throwable e) {
                // The results of earlier records come first.
                task.failure = e;
            }
            return task;
        };
    }

    private static void work(RecordTask task, Records records, RecordFilters filters,
            RecordTool.Worker worker) {
        records.begin(task.batch);
        try {
            while (records.next()) {
                if (filters == null || filters.test(records)) {
                    worker.work(records, task);
                    task.passed++;
                    task.last = records.number();
                }
            }
        } finally {
            task.place = task.passed == 0 ? null : records.place(task.last);
        }
    }

    private void handOn(RecordTask task) {
        tool.accept(task);
        for (int k = 0; k < task.passed; k++) {
            progress.update(task.place);
        }
        input.giveBack(task.batch);
        if (task.failure != null) {
            OrderedTasks.<RuntimeException>rethrow(task.failure);
        }
    }
}
