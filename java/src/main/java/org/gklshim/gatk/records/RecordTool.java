package org.gklshim.gatk.records;

/** What a tool that walks over reads does with them, in several threads. */
public interface RecordTool {
    /** What works on the records of a thread. */
    interface Worker {
        /**
         * Works on a record.
         *
         * @param records are at a record that has passed the filters
         * @param task takes what {@link #accept} needs of it
         */
        void work(Records records, RecordTask task);
    }

    /** Returns how many threads work, and logs it. */
    int threads();

    Worker worker();

    /** Returns a task for a batch. */
    default RecordTask task(RecordBatch batch) {
        return new RecordTask(batch);
    }

    /** Gets all tasks in the order of the input, in any of the threads. */
    default void accept(RecordTask task) {}

    /** Called after the last record. */
    default void finish() {}
}
