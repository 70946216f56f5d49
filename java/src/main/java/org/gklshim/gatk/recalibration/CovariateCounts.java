package org.gklshim.gatk.recalibration;

import java.util.Arrays;
import org.broadinstitute.hellbender.utils.collections.NestedIntegerArray;
import org.broadinstitute.hellbender.utils.recalibration.RecalDatum;
import org.broadinstitute.hellbender.utils.recalibration.RecalibrationTables;

/**
 * The observations and errors of a thread, for each read group and quality by cycle and by context.
 * They are whole numbers, so the sums of several threads do not depend on the order.
 */
final class CovariateCounts {
    /** The highest quality that GATK's tables have. */
    static final int MAX_QUALITY = 93;

    /** GATK's numbers of its tables and covariates. */
    static final int CONTEXTS = 2;
    static final int CYCLES = 3;
    /** GATK's number for substitutions, among kinds of errors. */
    static final int SUBSTITUTION = 0;
    /** After as many bases, the counts are moved before one of them can overflow. */
    private static final long ENOUGH_BASES = 1 << 30;

    private final int contextSize;
    /**
     * Where the counts by context begin in an array. Those by GATK's key of the cycle come first,
     * and the one before the contexts is for bases without a context.
     */
    final int contextsStart;
    /** The observations by read group and quality; null where none was counted yet. */
    final int[][][] observations;
    /** The errors among them. */
    final int[][][] errors;
    private long bases;

    CovariateCounts(int readGroups, int maximumCycle, int contextSize) {
        this.contextSize = contextSize;
        contextsStart = 2 * maximumCycle + 3;
        observations = new int[readGroups][MAX_QUALITY + 1][];
        errors = new int[readGroups][MAX_QUALITY + 1][];
    }

    /** Makes the counts of a read group and quality. */
    void prepare(int readGroup, int quality) {
        int size = contextsStart + (1 << 2 * contextSize);
        errors[readGroup][quality] = new int[size];
        observations[readGroup][quality] = new int[size];
    }

    /** Announces the most bases that will be counted. */
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
                if (observations[group][quality] != null) {
                    move(tables, group, keys[group], quality);
                }
            }
        }
        bases = 0;
    }

    private void move(RecalibrationTables tables, int group, int key, int quality) {
        int[] counts = observations[group][quality];
        int[] wrong = errors[group][quality];
        byte reported = (byte) quality;
        long all = 0;
        long allWrong = 0;
        for (int cycle = 0; cycle < contextsStart - 1; cycle++) {
            all += counts[cycle];
            allWrong += wrong[cycle];
            add(tables.getTable(CYCLES), counts[cycle], wrong[cycle], reported, key, quality, cycle,
                    SUBSTITUTION);
        }
        // Each base that is counted has a cycle.
        add(tables.getQualityScoreTable(), all, allWrong, reported, key, quality, SUBSTITUTION);
        for (int k = contextsStart; k < counts.length; k++) {
            add(tables.getTable(CONTEXTS), counts[k], wrong[k], reported, key, quality,
                    k - contextsStart << 4 | contextSize, SUBSTITUTION);
        }
        Arrays.fill(counts, 0);
        Arrays.fill(wrong, 0);
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
