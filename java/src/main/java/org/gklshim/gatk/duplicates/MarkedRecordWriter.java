package org.gklshim.gatk.duplicates;

import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMFileWriter;
import htsjdk.samtools.SAMRecord;
import htsjdk.samtools.util.Log;
import htsjdk.samtools.util.ProgressLogger;
import java.util.Map;
import picard.sam.DuplicationMetrics;
import picard.sam.markduplicates.MarkDuplicates;
import picard.sam.markduplicates.MarkDuplicates.DuplicateTaggingPolicy;
import picard.sam.markduplicates.util.LibraryIdGenerator;

/** Writes marked records in the order of the file, and counts them for the metrics. */
final class MarkedRecordWriter {
    private static final int PROGRESS = 10 * 1000 * 1000;

    private final MarkDuplicates tool;
    private final DuplicateSets sets;
    private final ReadGroups groups;
    private final SAMFileHeader header;
    private final UnusualRecords unusual;
    private final LibraryIdGenerator generator;
    private final Map<String, String> programs;
    private final SAMFileWriter writer;
    private final ProgressLogger progress;

    MarkedRecordWriter(MarkDuplicates tool, DuplicateSets sets, ReadGroups groups,
            SAMFileHeader header, UnusualRecords unusual, LibraryIdGenerator generator,
            Map<String, String> programs, SAMFileWriter writer, Log log) {
        this.tool = tool;
        this.sets = sets;
        this.groups = groups;
        this.header = header;
        this.unusual = unusual;
        this.generator = generator;
        this.programs = programs;
        this.writer = writer;
        progress = new ProgressLogger(log, PROGRESS, "Written");
    }

    void write(MarkedBatch batch) {
        for (int group = 0; group < batch.counts.length; group++) {
            count(group, batch.counts[group]);
        }
        BamRecords records = batch.records;
        for (int k = 0; k < records.count; k++) {
            SAMRecord record = batch.marked[k];
            if (batch.isUnusual[k]) {
                record = marked(unusual.decode(records, k), records.markedIndex(k));
            }
            if (record != null) {
                writer.addAlignment(record);
                progress.record(record);
            }
        }
    }

    private void count(int group, long[] counts) {
        long sum = 0;
        for (long count : counts) {
            sum += count;
        }
        if (sum == 0) {
            return;
        }
        DuplicationMetrics metrics = metrics(groups.library(group));
        metrics.UNMAPPED_READS += counts[MarkedBatch.UNMAPPED];
        metrics.SECONDARY_OR_SUPPLEMENTARY_RDS += counts[MarkedBatch.NOT_PRIMARY];
        metrics.UNPAIRED_READS_EXAMINED += counts[MarkedBatch.UNPAIRED];
        metrics.READ_PAIRS_EXAMINED += counts[MarkedBatch.PAIRED];
        metrics.UNPAIRED_READ_DUPLICATES += counts[MarkedBatch.UNPAIRED_DUPLICATE];
        metrics.READ_PAIR_DUPLICATES += counts[MarkedBatch.PAIRED_DUPLICATE];
    }

    private DuplicationMetrics metrics(String library) {
        DuplicationMetrics metrics = generator.getMetricsByLibrary(library);
        if (metrics == null) {
            metrics = new DuplicationMetrics();
            metrics.LIBRARY = library;
            generator.addMetricsByLibrary(library, metrics);
        }
        return metrics;
    }

    /** Counts and marks a record that htsjdk has decoded. Returns null if it is removed. */
    private SAMRecord marked(SAMRecord record, long index) {
        boolean isDuplicate = sets.duplicates.get(index);
        boolean isOptical = isDuplicate && sets.opticalDuplicates != null
                && sets.opticalDuplicates.get(index);
        DuplicationMetrics metrics = metrics(LibraryIdGenerator.getLibraryName(header, record));
        if (record.getReadUnmappedFlag()) {
            metrics.UNMAPPED_READS++;
        } else if (record.isSecondaryOrSupplementary()) {
            metrics.SECONDARY_OR_SUPPLEMENTARY_RDS++;
        } else if (!record.getReadPairedFlag() || record.getMateUnmappedFlag()) {
            metrics.UNPAIRED_READS_EXAMINED++;
            metrics.UNPAIRED_READ_DUPLICATES += isDuplicate ? 1 : 0;
        } else {
            metrics.READ_PAIRS_EXAMINED++;
            metrics.READ_PAIR_DUPLICATES += isDuplicate ? 1 : 0;
        }
        record.setDuplicateReadFlag(isDuplicate);
        record.setAttribute("DT", null);
        if (isDuplicate && tool.TAGGING_POLICY != DuplicateTaggingPolicy.DontTag) {
            if (isOptical) {
                record.setAttribute("DT", "SQ");
            } else if (tool.TAGGING_POLICY == DuplicateTaggingPolicy.All) {
                record.setAttribute("DT", "LB");
            }
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
