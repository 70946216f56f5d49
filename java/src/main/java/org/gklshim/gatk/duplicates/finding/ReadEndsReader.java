package org.gklshim.gatk.duplicates.finding;

import org.gklshim.gatk.duplicates.RecordEngine;
import org.gklshim.gatk.duplicates.Unsuitable;
import org.gklshim.gatk.duplicates.reading.BamRecords;
import org.gklshim.gatk.duplicates.reading.RecordTexts;

/** Finds what duplicate marking needs of records. Each thread has its own reader. */
public final class ReadEndsReader {
    private final RecordEngine engine;
    private final long[] facts;
    private final RecordTexts texts;
    private final int[] stop = new int[RecordEngine.STOP];

    public ReadEndsReader(RecordEngine engine, long[] facts, RecordTexts texts) {
        this.engine = engine;
        this.facts = facts;
        this.texts = texts;
    }

    public ReadEndsOfBatch read(BamRecords records) {
        ReadEndsOfBatch ends = new ReadEndsOfBatch(records);
        int from = 0;
        do {
            engine.readEnds(records.bytes, records.starts, records.count, records.files(), facts,
                    texts.letters(), texts.rows(), from, stop, ends.rows);
            from = stop[RecordEngine.RECORD];
            if (stop[RecordEngine.REASON] == RecordEngine.UNKNOWN_TEXT) {
                texts.add(records.bytes, stop);
            }
        } while (stop[RecordEngine.REASON] == RecordEngine.UNKNOWN_TEXT);
        if (stop[RecordEngine.REASON] == RecordEngine.OUTSIDE) {
            throw new Unsuitable("a read that is clipped by more than a million bases");
        }
        ends.isLast = stop[RecordEngine.REASON] == RecordEngine.UNPLACED;
        ends.count = ends.isLast ? from + 1 : records.count;
        ends.programs = texts.programs();
        return ends;
    }
}
