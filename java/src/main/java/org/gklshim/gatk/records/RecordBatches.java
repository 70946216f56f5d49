package org.gklshim.gatk.records;

/** Where the records of a tool come from, in batches. */
public interface RecordBatches {
    /** Returns the next batch, or null at the end. What fails is thrown by {@link Records}. */
    RecordBatch next();

    /** Returns what goes through the records of these batches. Each thread needs its own. */
    Records records();

    /** Takes a batch back, whose bytes nobody needs from now on. */
    void giveBack(RecordBatch batch);
}
