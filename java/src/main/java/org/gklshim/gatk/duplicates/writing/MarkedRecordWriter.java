package org.gklshim.gatk.duplicates.writing;

import htsjdk.samtools.BAMFileWriter;
import htsjdk.samtools.SAMFileHeader.SortOrder;
import htsjdk.samtools.SAMFileWriter;
import htsjdk.samtools.SAMRecord;
import htsjdk.samtools.util.BinaryCodec;
import htsjdk.samtools.util.ProgressLogger;
import java.util.Arrays;
import java.util.Map;
import org.gklshim.gatk.Members;
import org.gklshim.gatk.duplicates.MarkingRun;
import org.gklshim.gatk.duplicates.OutputException;
import org.gklshim.gatk.duplicates.UnsuitableException;
import org.gklshim.gatk.duplicates.finding.DuplicateSets;
import org.gklshim.gatk.duplicates.reading.BamRecords;
import org.gklshim.gatk.duplicates.reading.RecordOrder;
import org.gklshim.gatk.records.Buffers;
import org.gklshim.gatk.records.LittleEndian;
import picard.sam.DuplicationMetrics;
import picard.sam.markduplicates.MarkDuplicates;
import picard.sam.markduplicates.MarkDuplicates.DuplicateTaggingPolicy;
import picard.sam.markduplicates.util.LibraryIdGenerator;

/** Writes marked records in the order of the file, and counts them for the metrics. */
final class MarkedRecordWriter {
    private static final int PROGRESS = 10 * 1000 * 1000;
    /** Picard's class for barcodes, which is not public. */
    private static final String PICARDS_BARCODES = "picard.sam.markduplicates.UmiUtil";

    private final MarkingRun run;
    private final MarkDuplicates tool;
    private final Map<String, String> programs;
    private final SAMFileWriter writer;
    private final Buffers outputBuffers;
    /** Takes the bytes of records; null if the writer needs objects. */
    private final BinaryCodec codec;
    private final SortOrder order;
    private final ProgressLogger progress;
    /** Null before the first batch. */
    private BamRecords before;

    /**
     * Makes a writer.
     *
     * @param programs the new values of the tag PG by the old ones, or null if it stays
     * @param outputBuffers gets the arrays of marked records back
     */
    MarkedRecordWriter(MarkingRun run, Map<String, String> programs, SAMFileWriter writer,
            Buffers outputBuffers) {
        this.run = run;
        this.programs = programs;
        this.writer = writer;
        this.outputBuffers = outputBuffers;
        tool = run.tool;
        // An index, and other formats, are made from objects.
        codec = writer instanceof BAMFileWriter && Members.get(writer, "bamIndexer") == null
                ? (BinaryCodec) Members.get(writer, "outputBinaryCodec") : null;
        order = writer.getFileHeader().getSortOrder();
        progress = new ProgressLogger(run.log, PROGRESS, "Written");
    }

    boolean needsObjects() {
        return codec == null;
    }

    void write(MarkedBatch batch) {
        checkOrder(batch.records);
        for (int group = 0; group < run.groups.count(); group++) {
            int from = group * MarkedBatch.COUNTS;
            count(group, Arrays.copyOfRange(batch.counts, from, from + MarkedBatch.COUNTS));
        }
        int start = 0;
        int count = batch.records.count;
        for (int k = 0; k < count; k++) {
            if ((batch.marks[k] & MarkedBatch.IS_UNUSUAL) != 0) {
                SAMRecord record =
                        marked(run.unusual.decode(batch.records, k), batch.marks[k]);
                writeBytes(batch, start, k);
                start = k;
                if (record != null) {
                    write(record);
                }
            } else if (codec == null && batch.objects[k] != null) {
                write(batch.objects[k]);
            }
        }
        writeBytes(batch, start, count);
        outputBuffers.giveBack(batch.bytes);
    }

    /** Finds the same fault as htsjdk, which would compare the records when they are written. */
    private void checkOrder(BamRecords records) {
        if (before != null) {
            checkOrder(before, before.count - 1, records, 0);
            run.inputBuffers.giveBack(before.bytes);
        }
        for (int k = 1; k < records.count; k++) {
            checkOrder(records, k - 1, records, k);
        }
        before = records;
    }

    private void checkOrder(BamRecords a, int numberA, BamRecords b, int numberB) {
        int result = 0;
        if (order == SortOrder.coordinate) {
            result = RecordOrder.places(a.bytes, a.starts[numberA], b.bytes, b.starts[numberB]);
        } else if (order == SortOrder.queryname) {
            result = RecordOrder.names(a.bytes, a.starts[numberA], b.bytes, b.starts[numberB]);
        }
        if (result > 0) {
            throw new UnsuitableException("records that are not sorted");
        }
    }

    private void write(SAMRecord record) {
        OutputException.guard(() -> writer.addAlignment(record));
        progress.record(record);
    }

    /** Writes the bytes of consecutive records, unless their objects are written. */
    private void writeBytes(MarkedBatch batch, int from, int to) {
        if (codec == null || from == to) {
            return;
        }
        int start = batch.start(from);
        OutputException.guard(
                () -> codec.writeBytes(batch.bytes, start, batch.ends[to - 1] - start));
        for (int k = from; k < to; k++) {
            int at = batch.start(k);
            if (batch.ends[k] > at) {
                int sequence = LittleEndian.integer(batch.bytes, at + 4);
                progress.record(sequence < 0 ? null : run.places.names[sequence],
                        sequence < 0 ? 0 : LittleEndian.integer(batch.bytes, at + 8) + 1);
            }
        }
    }

    void close() {
        OutputException.guard(writer::close);
    }

    private void count(int group, long[] counts) {
        long sum = 0;
        for (long count : counts) {
            sum += count;
        }
        if (sum == 0) {
            return;
        }
        DuplicationMetrics metrics = metrics(run.groups.library(group));
        metrics.UNMAPPED_READS += counts[MarkedBatch.COUNT_UNMAPPED];
        metrics.SECONDARY_OR_SUPPLEMENTARY_RDS += counts[MarkedBatch.COUNT_NOT_PRIMARY];
        metrics.UNPAIRED_READS_EXAMINED += counts[MarkedBatch.COUNT_UNPAIRED];
        metrics.READ_PAIRS_EXAMINED += counts[MarkedBatch.COUNT_PAIRED];
        metrics.UNPAIRED_READ_DUPLICATES += counts[MarkedBatch.COUNT_UNPAIRED_DUPLICATES];
        metrics.READ_PAIR_DUPLICATES += counts[MarkedBatch.COUNT_PAIRED_DUPLICATES];
    }

    private DuplicationMetrics metrics(String library) {
        DuplicationMetrics metrics = run.generator.getMetricsByLibrary(library);
        if (metrics == null) {
            metrics = new DuplicationMetrics();
            metrics.LIBRARY = library;
            run.generator.addMetricsByLibrary(library, metrics);
        }
        return metrics;
    }

    /** Does for a record what Picard does. Returns null if it is removed. */
    private SAMRecord marked(SAMRecord record, byte marks) {
        boolean isDuplicate = (marks & DuplicateSets.IS_DUPLICATE) != 0;
        boolean isOptical = (marks & DuplicateSets.IS_OPTICAL) != 0;
        DuplicationMetrics metrics =
                metrics(LibraryIdGenerator.getLibraryName(run.header, record));
        metrics.addReadToLibraryMetrics(record);
        if (isDuplicate) {
            metrics.addDuplicateReadToMetrics(record);
        }
        record.setDuplicateReadFlag(isDuplicate);
        if (tool.CLEAR_DT) {
            record.setAttribute("DT", null);
        }
        if (isDuplicate && tool.TAGGING_POLICY != DuplicateTaggingPolicy.DontTag) {
            if (isOptical) {
                record.setAttribute("DT", "SQ");
            } else if (tool.TAGGING_POLICY == DuplicateTaggingPolicy.All) {
                record.setAttribute("DT", "LB");
            }
        }
        if (tool.BARCODE_TAG != null && tool.MOLECULAR_IDENTIFIER_TAG != null) {
            Members.callStatic(MarkDuplicates.class.getClassLoader(), PICARDS_BARCODES,
                    "setMolecularIdentifier", record, "", tool.MOLECULAR_IDENTIFIER_TAG,
                    tool.DUPLEX_UMI);
        }
        if (tool.REMOVE_DUPLICATES && isDuplicate
                || tool.REMOVE_SEQUENCING_DUPLICATES && isOptical) {
            return null;
        }
        if (programs != null) {
            record.setAttribute("PG", programs.get(record.getStringAttribute("PG")));
        }
        return record;
    }
}
