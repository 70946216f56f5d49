package org.gklshim.gatk.duplicates.writing;

import htsjdk.samtools.DefaultSAMRecordFactory;
import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMRecord;
import java.util.Arrays;
import org.gklshim.gatk.duplicates.RecordMethods;
import org.gklshim.gatk.duplicates.finding.DuplicateSets;
import org.gklshim.gatk.duplicates.reading.BamRecords;
import org.gklshim.gatk.duplicates.reading.Buffers;
import org.gklshim.gatk.duplicates.reading.Places;
import org.gklshim.gatk.duplicates.reading.ReadGroups;
import org.gklshim.gatk.duplicates.reading.ListedTexts;
import org.gklshim.gatk.records.BamRecord;

/** Marks records. Each thread has its own marker. */
public final class RecordMarker {
    /** Most records get longer by little. */
    private static final int USUAL_GROWTH = 16;
    private static final int MAX_SIZE = Integer.MAX_VALUE - 8;
    private static final int MARKS_A_WORD = 64;

    private final RecordMethods engine;
    private final long[] facts;
    private final DuplicateSets sets;
    private final ReadGroups groups;
    private final SAMFileHeader header;
    private final ListedTexts texts;
    private final DefaultSAMRecordFactory factory = new DefaultSAMRecordFactory();
    private final BamRecord record;
    private final boolean makesObjects;
    private final Buffers buffers;
    private final int[] stop = new int[RecordMethods.STOP];

    /**
     * Makes a marker.
     *
     * @param header the header of the records that are written
     * @param makesObjects whether the writer needs objects
     * @param buffers gives the arrays of marked records
     */
    public RecordMarker(RecordMethods engine, long[] facts, DuplicateSets sets, ReadGroups groups,
            Places places, SAMFileHeader header, ListedTexts texts, boolean makesObjects,
            Buffers buffers) {
        this.engine = engine;
        this.facts = facts;
        this.sets = sets;
        this.groups = groups;
        this.header = header;
        this.texts = texts;
        this.makesObjects = makesObjects;
        this.buffers = buffers;
        record = new BamRecord(places.lengths);
    }

    public MarkedBatch mark(BamRecords records) {
        int count = records.count;
        MarkedBatch batch = new MarkedBatch(records, groups.count(),
                buffers.take(records.starts[count] + USUAL_GROWTH * count));
        long base = records.markedIndex(0) & -MARKS_A_WORD;
        long end = records.firstIndex + count;
        long[] duplicates = sets.duplicates.words(base, end);
        long[] optical = sets.opticalDuplicates == null ? null
                : sets.opticalDuplicates.words(base, end);
        int from = 0;
        do {
            engine.mark(records.bytes, records.starts, count, records.files(), facts,
                    texts.letters(), texts.rows(), from, stop, records.firstIndex,
                    records.nameIndexes(), base, duplicates, optical, batch.bytes, batch.ends,
                    batch.isUnusual, batch.counts);
            from = stop[RecordMethods.RECORD];
            if (stop[RecordMethods.REASON] == RecordMethods.UNKNOWN_TEXT) {
                texts.add(records.bytes, stop);
            } else if (stop[RecordMethods.REASON] == RecordMethods.NO_ROOM) {
                long size = Math.min(2L * stop[RecordMethods.NEEDED], MAX_SIZE);
                batch.bytes = Arrays.copyOf(batch.bytes, (int) size);
            }
        } while (stop[RecordMethods.REASON] != RecordMethods.DONE);
        if (makesObjects) {
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
