package org.gklshim.gatk.duplicates.finding;

import org.gklshim.gatk.duplicates.RecordMethods;
import org.gklshim.gatk.duplicates.UnsuitableException;
import org.gklshim.gatk.duplicates.reading.BamRecords;
import org.gklshim.gatk.duplicates.reading.ListedTexts;

/** Finds what duplicate marking needs of records. Each thread has its own reader. */
public final class ReadEndsReader {
    private final RecordMethods engine;
    private final long[] facts;
    private final ListedTexts texts;
    private final int[] stop = new int[RecordMethods.STOP];

    public ReadEndsReader(RecordMethods engine, long[] facts, ListedTexts texts) {
        this.engine = engine;
        this.facts = facts;
        this.texts = texts;
    }

    public BatchRows read(BamRecords records) {
        BatchRows ends = new BatchRows(records);
        int from = 0;
        do {
            engine.readEnds(records.bytes, records.starts, records.count, records.files(), facts,
                    texts.letters(), texts.rows(), from, stop, ends.rows);
            from = stop[RecordMethods.RECORD];
            if (stop[RecordMethods.REASON] == RecordMethods.UNKNOWN_TEXT) {
                texts.add(records.bytes, stop);
            }
        } while (stop[RecordMethods.REASON] == RecordMethods.UNKNOWN_TEXT);
        if (stop[RecordMethods.REASON] == RecordMethods.OUTSIDE) {
            throw new UnsuitableException("a read that is clipped by more than a million bases");
        }
        ends.isLast = stop[RecordMethods.REASON] == RecordMethods.UNPLACED;
        ends.count = ends.isLast ? from + 1 : records.count;
        ends.programs = texts.programs();
        return ends;
    }
}
