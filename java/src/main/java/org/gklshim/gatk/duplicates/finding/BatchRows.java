package org.gklshim.gatk.duplicates.finding;

import java.nio.charset.StandardCharsets;
import org.gklshim.gatk.duplicates.NativeRun;
import org.gklshim.gatk.duplicates.reading.BamRecords;
import org.gklshim.gatk.duplicates.reading.Inputs;
import org.gklshim.gatk.records.BamFormat;

/** What duplicate marking needs of a batch of records: a row of native code for each. */
final class BatchRows {
    /** The numbers of a row, in the order of gkl_shim_duplicates_row. */
    static final int KIND = 0;
    static final int FLAGS = 1;
    static final int REFERENCE = 2;
    static final int POSITION = 3;
    static final int MATE_REFERENCE = 4;
    static final int NAME_LENGTH = 5;
    private static final int PROGRAM_START = 6;
    private static final int PROGRAM_LENGTH = 7;
    static final int GROUP = 8;
    static final int END = 9;
    static final int SCORE = 10;
    static final int IS_LOCATED = 11;
    static final int TILE = 12;
    static final int X = 13;
    static final int Y = 14;
    static final int BARCODE = 15;
    static final int FIRST_BARCODE = 16;
    static final int SECOND_BARCODE = 17;
    static final int KEY_HASH = 18;
    static final int ROW = 19;

    /** The kind of a record that says nothing about duplicates. */
    static final int SKIPPED = 0;
    /** A mapped read without a mapped mate. */
    static final int UNPAIRED = 1;
    static final int PAIRED = 2;
    /** A record that htsjdk has to look at. */
    static final int UNUSUAL = 3;

    final BamRecords records;
    private final int[] rows;
    private final String[] programs;

    BatchRows(NativeRun pass, Inputs inputs, BamRecords records) {
        this.records = records;
        rows = new int[ROW * records.count];
        programs = new String[records.count];
        pass.readEnds(records, rows);
        for (int k = 0; k < records.count; k++) {
            int start = get(k, PROGRAM_START);
            if (k > 0 && start == get(k - 1, PROGRAM_START)) {
                programs[k] = programs[k - 1];
            } else if (start > 0) {
                programs[k] = inputs.program(records.file(k), new String(records.bytes, start,
                        get(k, PROGRAM_LENGTH), StandardCharsets.ISO_8859_1));
            }
        }
    }

    int get(int record, int number) {
        return rows[record * ROW + number];
    }

    /** Returns where the name of a record begins in the bytes. */
    int nameStart(int record) {
        return records.starts[record] + BamFormat.FIXED_SIZE;
    }

    /**
     * Returns the program of a usual record, as merged files name it, or null. Neighbours with the
     * same program have the same object.
     */
    String program(int record) {
        return programs[record];
    }
}
