package org.gklshim.gatk.recalibration;

import org.broadinstitute.hellbender.utils.collections.NestedIntegerArray;
import org.broadinstitute.hellbender.utils.recalibration.RecalDatum;
import org.broadinstitute.hellbender.utils.recalibration.RecalibrationTables;

/**
 * The observations and errors of a thread, for each read group and quality by cycle and by context.
 * They are whole numbers, so the sums of several threads do not depend on the order, nor on when
 * the counts are moved to GATK's tables.
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

    /** The part of the heap for the counts of all threads. */
    private static final int HEAP_PARTS = 16;
    /** The cycles for which there is room at first. */
    private static final int FIRST_CYCLES = 256;
    private static final int QUALITIES = MAX_QUALITY + 1;

    private final RecalibrationTables tables;
    private final int[] keys;
    private final Object lock;
    private final Runnable heapIsShort;
    private final int contextSize;
    private final long maxBytes;
    /**
     * Where the counts by GATK's key of the cycle begin in an array. Those by context plus 1 come
     * first: the first one is for bases without a context.
     */
    final int cyclesStart;
    /** The observations by read group and quality; null where none was counted yet. */
    final int[][][] observations;
    /** The errors among them. */
    final int[][][] errors;
    private int cycles = FIRST_CYCLES;
    private long bytes;
    private long bases;

    /**
     * @param tables where the counts go to
     * @param keys the number of each read group in GATK's tables
     * @param lock who has it may use the tables
     * @param heapIsShort is called where the counts take too much of the heap
     * @param threads how many threads have such counts
     */
    CovariateCounts(RecalibrationTables tables, int[] keys, Object lock, Runnable heapIsShort,
            int threads, int contextSize) {
        this.heapIsShort = heapIsShort;
        this.tables = tables;
        this.keys = keys;
        this.lock = lock;
        this.contextSize = contextSize;
        maxBytes = Runtime.getRuntime().maxMemory() / HEAP_PARTS / threads;
        cyclesStart = (1 << 2 * contextSize) + 1;
        observations = new int[keys.length][][];
        errors = new int[keys.length][][];
    }

    /** Returns the size of the two arrays of a read group and quality. */
    private long bytes(int ofCycles) {
        return 2L * Integer.BYTES * size(ofCycles);
    }

    private int size(int ofCycles) {
        return cyclesStart + 2 * ofCycles + 2;
    }

    /**
     * Makes room for a part of a read. Moves the counts where one could overflow, where their
     * arrays are too short or where they take too much of the heap. Returns false if the heap is
     * too small for the part's own counts: GATK has to process the read.
     */
    boolean makeRoom(ReadArrays read, int from, int to) {
        int least = Math.max(FIRST_CYCLES, Integer.highestOneBit(2 * (to - from) - 1));
        int most = Math.max(cycles, least);
        if (!fits(most, read, from, to)) {
            heapIsShort.run();
            if (!fits(least, read, from, to)) {
                return false;
            }
            most = least;
        }
        boolean isHeapShort = bytes >= maxBytes;
        if (isHeapShort) {
            heapIsShort.run();
        }
        if (isHeapShort || most != cycles || bases >= ENOUGH_BASES) {
            move();
            cycles = most;
        }
        bases += to - from;
        return true;
    }

    private boolean fits(int ofCycles, ReadArrays read, int from, int to) {
        long qualities = maxBytes / bytes(ofCycles);
        return qualities > MAX_QUALITY || read.qualities(from, to) <= qualities;
    }

    /** Makes the counts of a read group and quality. */
    void prepare(int readGroup, int quality) {
        errors[readGroup][quality] = new int[size(cycles)];
        observations[readGroup][quality] = new int[size(cycles)];
        bytes += bytes(cycles);
    }

    /** Returns the observations of a read group. */
    int[][] ofGroup(int readGroup) {
        if (observations[readGroup] == null) {
            errors[readGroup] = new int[QUALITIES][];
            observations[readGroup] = new int[QUALITIES][];
            bytes += 2L * Long.BYTES * QUALITIES;
        }
        return observations[readGroup];
    }

    /** Adds the counts to GATK's tables, and drops them. */
    void move() {
        synchronized (lock) {
            for (int group = 0; group < keys.length; group++) {
                for (int quality = 0; observations[group] != null && quality <= MAX_QUALITY;
                        quality++) {
                    if (observations[group][quality] != null) {
                        move(group, quality);
                    }
                }
                observations[group] = null;
                errors[group] = null;
            }
        }
        bases = 0;
        bytes = 0;
    }

    private void move(int group, int quality) {
        int[] counts = observations[group][quality];
        int[] wrong = errors[group][quality];
        int key = keys[group];
        byte reported = (byte) quality;
        long all = 0;
        long allWrong = 0;
        for (int k = cyclesStart; k < counts.length; k++) {
            all += counts[k];
            allWrong += wrong[k];
            add(tables.getTable(CYCLES), counts[k], wrong[k], reported, key, quality,
                    k - cyclesStart, SUBSTITUTION);
        }
        // Each base that is counted has a cycle.
        add(tables.getQualityScoreTable(), all, allWrong, reported, key, quality, SUBSTITUTION);
        for (int k = 1; k < cyclesStart; k++) {
            add(tables.getTable(CONTEXTS), counts[k], wrong[k], reported, key, quality,
                    k - 1 << 4 | contextSize, SUBSTITUTION);
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
