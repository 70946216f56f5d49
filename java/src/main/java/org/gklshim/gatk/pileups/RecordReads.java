package org.gklshim.gatk.pileups;

import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMReadGroupRecord;
import java.nio.charset.StandardCharsets;
import org.broadinstitute.hellbender.utils.read.GATKRead;
import org.broadinstitute.hellbender.utils.read.SAMRecordToGATKReadAdapter;
import org.gklshim.gatk.records.BamRecord;
import org.gklshim.gatk.records.RecordFilters;
import org.gklshim.gatk.records.Intervals;
import org.gklshim.gatk.records.BamReader;

/** The records of a BAM file that pass the filters. Only unusual ones become reads of GATK. */
final class RecordReads implements SiteReads {
    private final Intervals query;
    private final RecordFilters filters;
    /** The read groups that have a sample. */
    private final byte[][] groups;
    /** Null if the record suffices. */
    private GATKRead read;

    RecordReads(Intervals query, RecordFilters filters, SAMFileHeader header) {
        this.query = query;
        this.filters = filters;
        groups = header.getReadGroups().stream().filter(group -> group.getSample() != null)
                .map(SAMReadGroupRecord::getId)
                .filter(id -> id.chars().allMatch(letter -> letter < 128))
                .map(id -> id.getBytes(StandardCharsets.US_ASCII)).toArray(byte[][]::new);
    }

    @Override
    public boolean next() {
        BamReader records = query.records();
        while (query.next()) {
            if (filters.test(records)) {
                boolean suffices = records.isUsual() && records.record().isAligned()
                        && records.record().hasReadGroup(groups);
                read = suffices ? null : new SAMRecordToGATKReadAdapter(records.decoded());
                return true;
            }
        }
        filters.addCounts();
        return false;
    }

    @Override
    public int sequence() {
        if (read == null) {
            return query.records().record().reference;
        }
        return read.getContig() == null ? -1 : query.records().decoded().getReferenceIndex();
    }

    @Override
    public int start() {
        return read == null ? query.records().record().position : read.getStart();
    }

    @Override
    public BamRecord record() {
        return read == null ? query.records().record() : null;
    }

    @Override
    public GATKRead read() {
        return read;
    }
}
