package org.gklshim.gatk.duplicates.finding;

import org.gklshim.gatk.duplicates.MarkingOptions;
import org.gklshim.gatk.duplicates.reading.BamRecords;
import org.gklshim.gatk.duplicates.reading.Genome;
import org.gklshim.gatk.duplicates.reading.Inputs;
import org.gklshim.gatk.duplicates.reading.ReadGroups;
import org.gklshim.gatk.duplicates.reading.UsualRecord;
import org.gklshim.gatk.records.BamFormat;
import org.gklshim.gatk.records.BamRecord;

/** Finds what duplicate marking needs of records. Each thread has its own reader. */
public final class ReadEndsReader {
    private static final int MIN_QUALITY = 15;
    private static final int MAX_SCORE = Short.MAX_VALUE / 2;

    private final MarkingOptions options;
    private final ReadGroups groups;
    private final Genome genome;
    private final UsualRecord usual;
    private final BamRecord record;
    private final int[] fields = new int[3];
    private String lastProgram;

    public ReadEndsReader(MarkingOptions options, Inputs inputs, ReadGroups groups, Genome genome) {
        this.options = options;
        this.groups = groups;
        this.genome = genome;
        usual = new UsualRecord(inputs, groups, genome);
        record = usual.fields;
    }

    public ReadEndsOfBatch read(BamRecords records) {
        ReadEndsOfBatch ends = new ReadEndsOfBatch(records);
        for (int k = 0; k < records.count && !ends.isLast; k++) {
            ends.count = k + 1;
            if (!read(ends, k)) {
                ends.kinds[k] = ReadEndsOfBatch.UNUSUAL;
            }
        }
        return ends;
    }

    /** Reads a record. Returns whether it is a usual one. */
    private boolean read(ReadEndsOfBatch ends, int k) {
        if (!usual.parse(ends.records, k)) {
            return false;
        }
        if (options.hasProgram) {
            addProgram(ends, k);
        }
        if (record.has(BamFormat.UNMAPPED)) {
            ends.isLast = record.reference == -1 && !options.isGrouped;
            return true;
        }
        if (!record.isPrimary()) {
            return true;
        }
        boolean isPaired = record.has(BamFormat.PAIRED) && !record.has(BamFormat.MATE_UNMAPPED);
        ends.kinds[k] = isPaired ? ReadEndsOfBatch.PAIRED : ReadEndsOfBatch.UNPAIRED;
        ends.places[k] = genome.place(record.reference, record.unclippedFivePrimeEnd());
        ends.scores[k] = score();
        ends.groups[k] = usual.group;
        locate(ends, k);
        if (isPaired) {
            ends.keys[k] = MateKey.hash(groups.keyStart(usual.group, options), record.bytes,
                    record.start + BamFormat.FIXED_SIZE, record.nameLength - 1);
        }
        return true;
    }

    private void addProgram(ReadEndsOfBatch ends, int k) {
        String program = usual.program();
        // Neighbours have the same one mostly.
        if (program != lastProgram || ends.programs.isEmpty()) {
            ends.programs.putIfAbsent(program, k);
            lastProgram = program;
        }
    }

    private short score() {
        int score = record.span;
        if (options.scoresQualities) {
            int start = record.qualitiesStart;
            score = record.hasQualities() ? sum(record.bytes, start, start + record.length) : 0;
        }
        score = Math.min(score, MAX_SCORE);
        return (short) (record.has(BamFormat.QC_FAIL) ? score + Short.MIN_VALUE / 2 : score);
    }

    /** Returns the sum of the qualities from 15 to 127: those above are negative for Picard. */
    static int sum(byte[] qualities, int start, int end) {
        int sum = 0;
        for (int k = start; k < end; k++) {
            sum += qualities[k] >= MIN_QUALITY ? qualities[k] : 0;
        }
        return sum;
    }

    private void locate(ReadEndsOfBatch ends, int k) {
        if (options.names == MarkingOptions.Names.ASK_PICARD) {
            ends.locations[k] = ReadEndsOfBatch.UNKNOWN;
        } else if (options.names == MarkingOptions.Names.DEFAULT) {
            int start = record.start + BamFormat.FIXED_SIZE;
            boolean isLocated = readFields(record.bytes, start, record.nameLength - 1, fields);
            ends.locations[k] = isLocated ? ReadEndsOfBatch.LOCATED : ReadEndsOfBatch.UNKNOWN;
            ends.tiles[k] = (short) fields[0];
            ends.x[k] = options.hasShortPlaces ? (short) fields[1] : fields[1];
            ends.y[k] = options.hasShortPlaces ? (short) fields[2] : fields[2];
        }
    }

    /**
     * Reads the last three numbers of a name of 5 or 7 fields, which colons separate. As in Picard,
     * a number ends before the first character that is no digit. Returns whether there are three.
     */
    static boolean readFields(byte[] name, int start, int length, int[] fields) {
        int count = 0;
        int end = length;
        for (int k = length - 1; k >= 0; k--) {
            if (name[start + k] == ':' || k == 0) {
                count++;
                if (count <= fields.length) {
                    int from = k == 0 ? 0 : k + 1;
                    if (!readNumber(name, start + from, start + end, fields, 3 - count)) {
                        return false;
                    }
                    end = k;
                }
            }
        }
        return count == 5 || count == 7;
    }

    private static boolean readNumber(byte[] name, int start, int end, int[] fields, int field) {
        boolean isNegative = start < end && name[start] == '-';
        int first = isNegative ? start + 1 : start;
        int value = 0;
        int at = first;
        while (at < end && name[at] >= '0' && name[at] <= '9') {
            value = 10 * value + name[at] - '0';
            at++;
        }
        fields[field] = isNegative ? -value : value;
        return at > first;
    }
}
