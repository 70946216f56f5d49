package org.gklshim.gatk.records;

import htsjdk.samtools.SAMRecord;
import java.util.function.Supplier;
import org.apache.logging.log4j.Logger;
import org.broadinstitute.hellbender.engine.ProgressMeter;
import org.broadinstitute.hellbender.engine.ReadWalker;
import org.broadinstitute.hellbender.engine.ReadsDataSource;
import org.broadinstitute.hellbender.engine.filters.CountingReadFilter;
import org.broadinstitute.hellbender.utils.SimpleInterval;
import org.gklshim.Log;
import org.gklshim.gatk.Members;
import org.gklshim.gatk.bam.RecordOutput;

/**
 * The work of PrintReads: the reads that pass the filters are written as they were read. htsjdk
 * would write the same bytes, but for the bin, which it computes.
 */
public final class PrintedReads {
    private static final String TOOL = "org.broadinstitute.hellbender.tools.PrintReads";
    /** How many reads GATK's progress meter is told of at once. */
    private static final int READS_OF_PROGRESS = 1000;

    private final BamInput input;
    private final RecordFilters filters;
    private final RecordOutput output;
    private final ProgressMeter progress;
    private int notReported;

    private PrintedReads(BamInput input, RecordFilters filters, RecordOutput output,
            ProgressMeter progress) {
        this.input = input;
        this.filters = filters;
        this.output = output;
        this.progress = progress;
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
        RecordStream records = input.all();
        Supplier<SAMRecord> decoder = records::decoded;
        SimpleInterval place = null;
        while (records.next()) {
            if (filters.test(records)) {
                print(records, decoder);
                if (++notReported == READS_OF_PROGRESS) {
                    place = place(records.decoded());
                    report(place);
                }
            }
        }
        report(place);
        filters.addCounts();
    }

    private void print(RecordStream records, Supplier<SAMRecord> decoder) {
        if (!records.isUsual()) {
            // GATK asks each read for its place before it is written. A faulty CIGAR fails there.
            place(records.decoded());
            output.write(records.decoded());
            return;
        }
        BamRecord record = records.record();
        LittleEndian.putShort(record.bytes, record.start + BamFormat.BIN, record.bin());
        output.write(record.bytes, record.start, record.end, record.reference, record.position,
                record.lastPosition(), record.has(BamFormat.UNMAPPED), decoder);
    }

    /** Returns GATK's interval of a read: null if the read has no place. */
    private static SimpleInterval place(SAMRecord record) {
        String contig = record.getReferenceName();
        int start = record.getAlignmentStart();
        int end = record.getAlignmentEnd();
        return !record.getReadUnmappedFlag() && record.getReferenceIndex() >= 0 && start > 0
                && end >= start ? new SimpleInterval(contig, start, end) : null;
    }

    private void report(SimpleInterval place) {
        for (; notReported > 0; notReported--) {
            progress.update(place);
        }
    }
}
