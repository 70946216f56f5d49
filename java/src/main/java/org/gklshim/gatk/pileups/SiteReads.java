package org.gklshim.gatk.pileups;

import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMReadGroupRecord;
import htsjdk.samtools.SAMSequenceDictionary;
import java.nio.charset.StandardCharsets;
import org.broadinstitute.hellbender.utils.read.GATKRead;
import org.gklshim.gatk.records.BamRecord;
import org.gklshim.gatk.records.RecordBatch;
import org.gklshim.gatk.records.RecordBatches;
import org.gklshim.gatk.records.RecordFilters;
import org.gklshim.gatk.records.Records;

/** The reads that have passed the filters, in order. Only unusual ones become reads of GATK. */
final class SiteReads {
    private final RecordBatches input;
    private final Records records;
    /** Null if GATK has filtered the reads. */
    private final RecordFilters filters;
    private final SAMSequenceDictionary dictionary;
    /** The read groups that have a sample. */
    private final byte[][] groups;
    private RecordBatch batch;
    /** Null if the record suffices. */
    private GATKRead read;

    SiteReads(RecordBatches input, RecordFilters filters, SAMFileHeader header) {
        this.input = input;
        this.filters = filters;
        records = input.records();
        dictionary = header.getSequenceDictionary();
        groups = header.getReadGroups().stream().filter(group -> group.getSample() != null)
                .map(SAMReadGroupRecord::getId)
                .filter(id -> id.chars().allMatch(letter -> letter < 128))
                .map(id -> id.getBytes(StandardCharsets.US_ASCII)).toArray(byte[][]::new);
    }

    /** Goes to the next read. Returns false if there is none. */
    boolean next() {
        while (nextRecord()) {
            if (filters == null || filters.test(records)) {
                boolean suffices = records.isUsual() && records.record().isAligned()
                        && records.record().hasReadGroup(groups);
                read = suffices ? null : records.read();
                return true;
            }
        }
        if (filters != null) {
            filters.addCounts();
        }
        return false;
    }

    private boolean nextRecord() {
        while (batch == null || !records.next()) {
            if (batch != null) {
                input.giveBack(batch);
            }
            batch = input.next();
            if (batch == null) {
                return false;
            }
            records.begin(batch);
        }
        return true;
    }

    /** Returns the number of the read's sequence, or -1. */
    int sequence() {
        return read == null ? records.record().reference
                : dictionary.getSequenceIndex(read.getContig());
    }

    int start() {
        return read == null ? records.record().position : read.getStart();
    }

    /**
     * Returns the read's record, or null if only {@link #read} can be asked. The record is aligned,
     * and the header has its read group and its sample.
     */
    BamRecord record() {
        return read == null ? records.record() : null;
    }

    GATKRead read() {
        return read;
    }
}
