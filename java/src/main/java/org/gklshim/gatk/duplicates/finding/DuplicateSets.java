package org.gklshim.gatk.duplicates.finding;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToIntFunction;
import org.gklshim.gatk.duplicates.UnsuitableException;
import picard.sam.markduplicates.util.AbstractMarkDuplicatesCommandLineProgram;
import picard.sam.markduplicates.util.LibraryIdGenerator;
import picard.sam.markduplicates.util.OpticalDuplicateFinder;
import picard.sam.markduplicates.util.ReadEndsForMarkDuplicates;

/** Finds the sets of duplicates among the ends of reads, and marks all but the best of each. */
public final class DuplicateSets {
    private static final int SMALL_SET = 64;

    /** The marks of a read: a duplicate, and an optical one. */
    public static final byte IS_DUPLICATE = 1;
    public static final byte IS_OPTICAL = 2;

    private final Marks duplicates = new Marks();
    /** Null if nobody asks for optical duplicates read by read. */
    private final Marks opticalDuplicates;

    private final LibraryIdGenerator generator;
    /** Null if optical duplicates are not looked for. */
    private final OpticalDuplicateFinder finder;

    DuplicateSets(LibraryIdGenerator generator, OpticalDuplicateFinder finder,
            boolean marksOptical) {
        this.generator = generator;
        this.finder = finder;
        opticalDuplicates = marksOptical ? new Marks() : null;
    }

    /** Returns the marks of a read, by the place in the file by which it is marked. */
    public byte marks(long index) {
        if (!duplicates.get(index)) {
            return 0;
        }
        return opticalDuplicates != null && opticalDuplicates.get(index)
                ? IS_DUPLICATE | IS_OPTICAL : IS_DUPLICATE;
    }

    /** Returns how many reads are marked. */
    public long count() {
        return duplicates.count();
    }

    /**
     * Has sets marked. Returns how many rows are alone in theirs.
     *
     * @param mark marks rows of equal hash, perhaps of several sets; returns how many are alone
     */
    private static long forSets(long[] hashes, ToIntFunction<int[]> mark) {
        RowsByHash rows = new RowsByHash(hashes);
        long alone = rows.alone();
        for (int k = 0; k < rows.sets(); k++) {
            alone += mark.applyAsInt(rows.set(k));
        }
        return alone;
    }

    /** Sorts the numbers of rows. Most sets are small. */
    private static void sort(int[] rows, long[] words, int width) {
        if (rows.length > SMALL_SET) {
            Integer[] sorted = Arrays.stream(rows).boxed()
                    .sorted((a, b) -> compare(words, width, a * width, b * width))
                    .toArray(Integer[]::new);
            Arrays.setAll(rows, k -> sorted[k]);
            return;
        }
        for (int k = 1; k < rows.length; k++) {
            int row = rows[k];
            int place = k;
            while (place > 0 && compare(words, width, rows[place - 1] * width, row * width) > 0) {
                rows[place] = rows[place - 1];
                place--;
            }
            rows[place] = row;
        }
    }

    /** Compares the first words of two rows, in the order in which Picard sorts reads. */
    private static int compare(long[] words, int count, int a, int b) {
        for (int k = 0; k < count; k++) {
            int difference = Long.compare(words[a + k], words[b + k]);
            if (difference != 0) {
                return difference;
            }
        }
        return 0;
    }

    /** Marks the duplicates among all pairs. */
    void markPairs(DuplicateCandidates candidates) throws IOException {
        long alone = 0;
        int width = candidates.pairs.width;
        for (int k = 0; k < Partitions.COUNT; k++) {
            long[] words = candidates.pairs.take(k);
            long[] hashes = new long[words.length / width];
            for (int row = 0; row < hashes.length; row++) {
                hashes[row] = candidates.pairHash(words, row * width);
            }
            alone += forSets(hashes, rows -> markPairs(candidates, words, rows));
        }
        if (alone > 0) {
            generator.getDuplicateCountHist().increment(1.0, alone);
            generator.getNonOpticalDuplicateCountHist().increment(1.0, alone);
        }
    }

    /** Marks the duplicates among pairs of equal hash. Returns how many are no duplicates. */
    private int markPairs(DuplicateCandidates candidates, long[] words, int[] rows) {
        int width = candidates.pairs.width;
        sort(rows, words, width);
        int alone = 0;
        for (int from = 0; from < rows.length;) {
            int to = from + 1;
            while (to < rows.length && candidates.isSameSet(words, rows[from] * width,
                    rows[to] * width)) {
                to++;
            }
            if (to == from + 1) {
                alone++;
            } else {
                List<ReadEndsForMarkDuplicates> set = new ArrayList<>(to - from);
                for (int k = from; k < to; k++) {
                    set.add(candidates.pair(words, rows[k] * width));
                }
                markSet(set);
            }
            from = to;
        }
        return alone;
    }

    private void markSet(List<ReadEndsForMarkDuplicates> set) {
        ReadEndsForMarkDuplicates best = set.get(0);
        for (ReadEndsForMarkDuplicates pair : set) {
            if (pair.score > best.score) {
                best = pair;
            }
        }
        if (finder != null) {
            AbstractMarkDuplicatesCommandLineProgram.trackOpticalDuplicates(set, best, finder,
                    generator);
        }
        for (ReadEndsForMarkDuplicates pair : set) {
            if (pair != best) {
                mark(duplicates, pair);
                if (pair.isOpticalDuplicate && opticalDuplicates != null) {
                    mark(opticalDuplicates, pair);
                }
            }
        }
    }

    private static void mark(Marks marks, ReadEndsForMarkDuplicates pair) {
        mark(marks, pair.read1IndexInFile);
        if (pair.read2IndexInFile != pair.read1IndexInFile) {
            mark(marks, pair.read2IndexInFile);
        }
    }

    private static void mark(Marks marks, long index) {
        if (!marks.set(index)) {
            throw new UnsuitableException("several duplicates of one name");
        }
    }

    /** Marks the duplicates among reads without mapped mates. A pair at the place comes first. */
    void markUnpaired(DuplicateCandidates candidates) throws IOException {
        int width = candidates.unpaired.width;
        for (int k = 0; k < Partitions.COUNT; k++) {
            long[] words = candidates.unpaired.take(k);
            long[] paired = candidates.pairedReads.take(k);
            long[] hashes = new long[words.length / width];
            if (hashes.length == 0) {
                continue;
            }
            KeySet places = new KeySet(hashes.length, candidates.keyWords);
            for (int row = 0; row < hashes.length; row++) {
                int at = row * width;
                hashes[row] = Partitions.hash(words, at, at + candidates.keyWords);
                places.add(words, at);
            }
            places.markAll(paired);
            for (int at = 0; at < words.length; at += width) {
                if (places.isMarked(words, at)) {
                    mark(duplicates, candidates.unpairedIndex(words, at));
                }
            }
            forSets(hashes, rows -> markUnpaired(candidates, words, rows, places));
        }
    }

    /** Marks reads of equal hash. Nobody asks how many are no duplicates. */
    private int markUnpaired(DuplicateCandidates candidates, long[] words, int[] rows,
            KeySet places) {
        int width = candidates.unpaired.width;
        sort(rows, words, width);
        for (int from = 0; from < rows.length;) {
            int first = rows[from] * width;
            int best = first;
            int to = from;
            while (to < rows.length
                    && compare(words, candidates.keyWords, first, rows[to] * width) == 0) {
                int at = rows[to] * width;
                if (candidates.unpairedScore(words, at) > candidates.unpairedScore(words, best)) {
                    best = at;
                }
                to++;
            }
            for (int k = from; k < to && !places.isMarked(words, first); k++) {
                if (rows[k] * width != best) {
                    mark(duplicates, candidates.unpairedIndex(words, rows[k] * width));
                }
            }
            from = to;
        }
        return 0;
    }
}
