package org.gklshim.gatk.records;

import htsjdk.samtools.BAMRecordCodec;
import htsjdk.samtools.SAMRecord;
import org.apache.logging.log4j.Logger;
import org.broadinstitute.hellbender.engine.ProgressMeter;
import org.broadinstitute.hellbender.engine.ReadWalker;
import org.broadinstitute.hellbender.engine.ReadsDataSource;
import org.broadinstitute.hellbender.engine.filters.CountingReadFilter;
import org.broadinstitute.hellbender.utils.SimpleInterval;
import org.gklshim.Log;
import org.gklshim.gatk.Members;
import org.gklshim.gatk.threads.OrderedTasks;
import org.gklshim.gatk.blocks.RecordOutput;
import org.gklshim.gatk.records.FilteredRecords.Batch;

/**
 * The work of PrintReads: the reads that pass the filters are written as they were read. htsjdk
 * would write the same bytes, but for the bin, which it computes. A thread reads and filters the
 * records.
 */
public final class PrintedReads {
    private static final String TOOL = "org.broadinstitute.hellbender.tools.PrintReads";

    private final BamInput input;
    private final RecordFilters filters;
    private final RecordOutput output;
    private final ProgressMeter progress;
    private final BAMRecordCodec codec;
    private int notReported;
    private Batch batch;
    /** The record of the batch that is printed. */
    private int printed;

    private PrintedReads(BamInput input, RecordFilters filters, RecordOutput output,
            ProgressMeter progress) {
        this.input = input;
        this.filters = filters;
        this.output = output;
        this.progress = progress;
        codec = new BAMRecordCodec(input.header());
    }

    public static boolean isPrintReads(ReadWalker walker) {
        return walker.getClass().getName().equals(TOOL);
    }

    /** Prints the reads. Returns false, and logs why, if GATK has to do it. */
    public static boolean traverse(ReadWalker walker) {
        ReadsDataSource source = (ReadsDataSource) Members.get(walker, "reads");
        BamInput input = BamInput.of(source);
        CountingReadFilter filter = walker.makeReadFilter();
        RecordFilters filters = new RecordFilters(filter);
        RecordOutput output = input == null ? null
                : RecordOutput.of(Members.get(walker, "outputWriter.samWriter"), input.header());
        String reason = null;
        if (input == null) {
            reason = BamInput.UNSUITABLE;
        } else if ((boolean) Members.get(source, "traverseUnmapped")
                || Members.get(source, "intervalsForTraversal") != null) {
            reason = "there are intervals";
        } else if (filters.unknown() != null) {
            reason = "of " + filters.unknown();
        } else if (input.hasLongSequence()) {
            reason = "a sequence is longer than 512 Mb";
        } else if (output == null) {
            reason = "the output is not a BAM file, or is sorted by name";
        }
        if (reason != null) {
            Log.info("reads: GATK's own code is used, because " + reason);
            return false;
        }
        Log.info("reads: records are copied without decoding");
        new PrintedReads(input, filters, output,
                (ProgressMeter) Members.get(walker, "progressMeter")).print();
        ((Logger) Members.get(walker, "logger")).info(filter.getSummaryLine());
        return true;
    }

    private void print() {
        SimpleInterval place = null;
        try (FilteredRecords records = new FilteredRecords(input.all(), filters)) {
            do {
                batch = records.take();
                for (int k = 0; k < batch.count; k++) {
                    print(k);
                }
                notReported = batch.count;
                if (notReported == Batch.SIZE) {
                    place = batch.place;
                    report(place);
                }
            } while (!batch.isLast);
        }
        if (batch.failure != null) {
            OrderedTasks.<RuntimeException>rethrow(batch.failure);
        }
        report(place);
        filters.addCounts();
    }

    private void print(int k) {
        if (batch.decoded[k] != null) {
            output.write(batch.decoded[k]);
            return;
        }
        printed = k;
        output.write(batch.bytes, batch.starts[k], batch.ends[k], batch.references[k],
                batch.positions[k], batch.lastPositions[k], batch.areUnmapped[k], this::decode);
    }

    /** Returns htsjdk's form of the record that is printed. */
    private SAMRecord decode() {
        return BamReader.decode(
                codec, batch.bytes, batch.starts[printed], batch.ends[printed]);
    }

    private void report(SimpleInterval place) {
        for (; notReported > 0; notReported--) {
            progress.update(place);
        }
    }
}
