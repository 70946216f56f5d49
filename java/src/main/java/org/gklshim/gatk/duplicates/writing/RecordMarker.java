package org.gklshim.gatk.duplicates.writing;

import htsjdk.samtools.DefaultSAMRecordFactory;
import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMRecord;
import org.gklshim.gatk.duplicates.MarkingRun;
import org.gklshim.gatk.duplicates.NativeRun;
import org.gklshim.gatk.duplicates.finding.DuplicateSets;
import org.gklshim.gatk.duplicates.reading.BamRecords;
import org.gklshim.gatk.records.BamRecord;
import org.gklshim.gatk.records.Buffers;

/** Marks records. Each thread has its own marker. */
final class RecordMarker {
    private final NativeRun pass;
    private final DuplicateSets sets;
    private final int groups;
    /** The header of the records' objects; null if the writer takes bytes. */
    private final SAMFileHeader header;
    private final Buffers buffers;
    private final DefaultSAMRecordFactory factory = new DefaultSAMRecordFactory();
    private final BamRecord record;

    /**
     * Makes a marker.
     *
     * @param header the header of the records' objects; null if the writer takes bytes
     * @param buffers gives the arrays of marked records
     */
    RecordMarker(MarkingRun run, NativeRun pass, DuplicateSets sets, SAMFileHeader header,
            Buffers buffers) {
        this.pass = pass;
        this.sets = sets;
        this.header = header;
        this.buffers = buffers;
        groups = run.groups.count();
        record = new BamRecord(run.places.lengths);
    }

    MarkedBatch mark(BamRecords records) {
        int count = records.count;
        long most = records.starts[count] + pass.growth * count;
        MarkedBatch batch =
                new MarkedBatch(records, groups, buffers.take(Math.toIntExact(most)));
        for (int k = 0; k < count; k++) {
            batch.marks[k] = sets.marks(records.markedIndex(k));
        }
        pass.mark(records, batch.marks, batch.bytes, batch.ends, batch.counts);
        if (header != null) {
            batch.objects = new SAMRecord[count];
            for (int k = 0; k < count; k++) {
                batch.objects[k] = object(batch, k);
            }
        }
        return batch;
    }

    /** Returns the object of a marked record, or null if it is removed or unusual. */
    private SAMRecord object(MarkedBatch batch, int k) {
        int start = batch.start(k);
        if (batch.ends[k] == start) {
            return null;
        }
        record.parse(batch.bytes, start, batch.ends[k]);
        SAMRecord object = record.object(header, factory);
        // The writer needs it.
        object.getCigar();
        return object;
    }
}
