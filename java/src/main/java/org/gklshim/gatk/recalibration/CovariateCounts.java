package org.gklshim.gatk.recalibration;

import org.broadinstitute.hellbender.utils.collections.NestedIntegerArray;
import org.broadinstitute.hellbender.utils.recalibration.RecalDatum;
import org.broadinstitute.hellbender.utils.recalibration.RecalibrationTables;

/**
 * The observations and errors of a thread, for each read group and quality by cycle and by context.
 * They are whole numbers, so the sums of several threads do not depend on the order.
 */
final class CovariateCounts {
    /** What an error adds to a count, beside the 1 of each observation. */
    static final long ERROR = 1L << 32;
    /** The highest quality that GATK's tables have. */
    static final int MAX_QUALITY = 93;

    private static final int CONTEXTS = 2;
    private static final int CYCLES = 3;
    /** GATK's number for substitutions, among kinds of errors. */
    private static final int SUBSTITUTION = 0;
    /** After as many bases, the counts are moved before one of them can overflow. */
    private static final long ENOUGH_BASES = 1 << 30;

    private final int cycleKeys;
    private final int contextSize;
    /** The counts by read group, quality, and GATK's key of the cycle. */
    final long[][][] byCycle;
    /** The counts by read group, quality, and context. */
    final long[][][] byContext;
    private long bases;

    CovariateCounts(int readGroups, int maximumCycle, int contextSize) {
        cycleKeys = 2 * maximumCycle + 2;
        this.contextSize = contextSize;
        byCycle = new long[readGroups][MAX_QUALITY + 1][];
        byContext = new long[readGroups][MAX_QUALITY + 1][];
    }

    /** Makes the counts of a quality, if they were not made yet. */
    void prepare(int readGroup, int quality) {
        if (byCycle[readGroup][quality] == null) {
            byContext[readGroup][quality] = new long[1 << 2 * contextSize];
            byCycle[readGroup][quality] = new long[cycleKeys];
        }
    }

    /** Announces that so many bases at most are counted. */
    void expect(int more) {
        bases += more;
    }

    /** Returns whether it is time to call {@link #moveTo}. */
    boolean areFull() {
        return bases >= ENOUGH_BASES;
    }

    /**
     * Adds the counts to GATK's tables, and sets them to 0.
     *
     * @param keys the number of each read group in GATK's tables
     */
    void moveTo(RecalibrationTables tables, int[] keys) {
        for (int group = 0; group < keys.length; group++) {
            for (int quality = 0; quality <= MAX_QUALITY; quality++) {
                if (byCycle[group][quality] != null) {
                    move(tables, group, keys[group], quality);
                }
            }
        }
        bases = 0;
    }

    private void move(RecalibrationTables tables, int group, int key, int quality) {
        byte reported = (byte) quality;
        long observations = 0;
        long errors = 0;
        long[] cycles = byCycle[group][quality];
        for (int k = 0; k < cycles.length; k++) {
            observations += cycles[k] & ERROR - 1;
            errors += cycles[k] >>> 32;
            add(tables.getTable(CYCLES), cycles[k] & ERROR - 1, cycles[k] >>> 32, reported,
                    key, quality, k, SUBSTITUTION);
            cycles[k] = 0;
        }
        // Each base that is counted has a cycle.
        add(tables.getQualityScoreTable(), observations, errors, reported, key, quality,
                SUBSTITUTION);
        long[] contexts = byContext[group][quality];
        for (int k = 0; k < contexts.length; k++) {
            add(tables.getTable(CONTEXTS), contexts[k] & ERROR - 1, contexts[k] >>> 32, reported,
                    key, quality, k << 4 | contextSize, SUBSTITUTION);
            contexts[k] = 0;
        }
    }

    private static void add(NestedIntegerArray<RecalDatum> table, long observations, long errors,
            byte quality, int... keys) {
        if (observations == 0) {
            return;
        }
        RecalDatum datum = table.get(keys);
        if (datum == null) {
            table.put(new RecalDatum(observations, errors, quality), keys);
        } else {
            datum.increment(observations, errors);
        }
    }
}
