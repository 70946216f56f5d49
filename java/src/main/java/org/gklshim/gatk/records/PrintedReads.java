package org.gklshim.gatk.records;

import htsjdk.samtools.SAMRecord;
import java.util.function.Supplier;
import org.broadinstitute.hellbender.engine.ReadWalker;
import org.broadinstitute.hellbender.engine.ReadsDataSource;
import org.gklshim.gatk.Members;
import org.gklshim.gatk.blocks.RecordOutput;

/**
 * The work of PrintReads: the reads that pass the filters are written as they were read. htsjdk
 * would write the same bytes, but for the bin, which it computes.
 */
public final class PrintedReads implements RecordTool {
    private static final String TOOL = "org.broadinstitute.hellbender.tools.PrintReads";
    /** The tool's own thread reads and helps, another one filters the records. */
    private static final int THREADS = 2;

    /** The records of a batch that are written. */
    private static final class Task extends RecordTask {
        private int count;
        /** The number of each record, and where its alignment ends. */
        private final int[] numbers;
        private final int[] lastPositions;
        /** htsjdk's form of each record that is not usual; null if all are. */
        private SAMRecord[] decoded;

        Task(RecordBatch batch) {
            super(batch);
            numbers = new int[batch.count];
            lastPositions = new int[batch.count];
        }

        void add(Records records) {
            numbers[count] = records.number();
            if (records.isUsual()) {
                BamRecord record = records.record();
                lastPositions[count] = record.lastPosition();
                LittleEndian.putShort(record.bytes, record.start + BamFormat.BIN, record.bin());
            } else {
                // GATK asks a read for its place before it writes it. A faulty CIGAR fails there.
                records.place();
                decoded = decoded == null ? new SAMRecord[numbers.length] : decoded;
                decoded[count] = records.decoded();
            }
            count++;
        }
    }

    private final RecordOutput output;
    private final Records objects;
    /** Makes htsjdk's form of the record that is written. */
    private final Supplier<SAMRecord> object = this::object;
    private RecordBatch batch;
    private int number;

    private PrintedReads(RecordOutput output, Records objects) {
        this.output = output;
        this.objects = objects;
    }

    public static boolean isPrintReads(ReadWalker walker) {
        return walker.getClass().getName().equals(TOOL);
    }

    /** Returns our way to do the work. Returns null, and logs why, if GATK has to do it. */
    public static PrintedReads of(ReadWalker walker) {
        BamInput input = BamInput.of((ReadsDataSource) Members.get(walker, "reads"));
        RecordOutput output = input == null ? null
                : RecordOutput.of(Members.get(walker, "outputWriter.samWriter"), input.header());
        String reason = BamInput.reason(input, new RecordFilters(walker.makeReadFilter()));
        if (reason == null && input.hasLongSequence()) {
            reason = "a sequence of more than 512 Mb";
        } else if (reason == null && output == null) {
            reason = "an output that is not BAM, or is sorted by name";
        }
        if (reason != null) {
            Part.INSTANCE.fallBack(reason);
            return null;
        }
        return new PrintedReads(output, new Records(input.header(), null));
    }

    @Override
    public int threads() {
        Part.INSTANCE.info("copied without decoding");
        return THREADS;
    }

    @Override
    public Worker worker() {
        return (records, task) -> ((Task) task).add(records);
    }

    @Override
    public RecordTask task(RecordBatch batch) {
        return new Task(batch);
    }

    @Override
    public void accept(RecordTask task) {
        Task written = (Task) task;
        batch = task.batch;
        for (int k = 0; k < written.count; k++) {
            if (written.decoded != null && written.decoded[k] != null) {
                output.write(written.decoded[k]);
                continue;
            }
            number = written.numbers[k];
            int start = batch.starts[number];
            output.write(batch.bytes, start, batch.starts[number + 1],
                    LittleEndian.integer(batch.bytes, start + 4),
                    LittleEndian.integer(batch.bytes, start + 8) + 1, written.lastPositions[k],
                    (LittleEndian.unsignedShort(batch.bytes, start + 18) & BamFormat.UNMAPPED) != 0,
                    object);
        }
    }

    private SAMRecord object() {
        return objects.decode(batch, number);
    }
}
