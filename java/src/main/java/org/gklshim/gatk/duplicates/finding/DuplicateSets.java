package org.gklshim.gatk.duplicates.finding;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.gklshim.gatk.duplicates.Unsuitable;
import picard.sam.markduplicates.util.AbstractMarkDuplicatesCommandLineProgram;
import picard.sam.markduplicates.util.LibraryIdGenerator;
import picard.sam.markduplicates.util.OpticalDuplicateFinder;
import picard.sam.markduplicates.util.ReadEndsForMarkDuplicates;

/** Finds the sets of duplicates among the ends of reads, and marks all but the best of each. */
public final class DuplicateSets {
    private static final int SMALL_SET = 64;

    public final Marks duplicates = new Marks();
    /** Null if nobody asks for optical duplicates read by read. */
    public final Marks opticalDuplicates;

    private final LibraryIdGenerator generator;
    /** Null if optical duplicates are not looked for. */
    private final OpticalDuplicateFinder finder;

    public DuplicateSets(LibraryIdGenerator generator, OpticalDuplicateFinder finder,
            boolean marksOptical) {
        this.generator = generator;
        this.finder = finder;
        opticalDuplicates = marksOptical ? new Marks() : null;
    }

    private interface Sets {
        /** Marks rows of equal hash, which may be of several sets. Returns how many are alone. */
        int mark(int[] rows);
    }

    /** Has sets marked. Returns how many rows are alone in theirs. */
    private static long forSets(long[] hashes, Sets sets) {
        RowsByHash rows = new RowsByHash(hashes);
        long alone = rows.alone();
        for (int k = 0; k < rows.sets(); k++) {
            alone += sets.mark(rows.set(k));
        }
        return alone;
    }

    /** Sorts the numbers of rows. Most sets are small. */
    private static void sort(int[] rows, long[] words, int width) {
        if (rows.length > SMALL_SET) {
            Integer[] sorted = Arrays.stream(rows).boxed()
                    .sorted((a, b) -> compare(words, width, a, b)).toArray(Integer[]::new);
            Arrays.setAll(rows, k -> sorted[k]);
            return;
        }
        for (int k = 1; k < rows.length; k++) {
            int row = rows[k];
            int place = k;
            while (place > 0 && compare(words, width, rows[place - 1], row) > 0) {
                rows[place] = rows[place - 1];
                place--;
            }
            rows[place] = row;
        }
    }

    /** Compares two rows as Picard sorts the ends of reads. */
    private static int compare(long[] words, int width, int a, int b) {
        for (int k = 0; k < width; k++) {
            int difference = Long.compare(words[a * width + k], words[b * width + k]);
            if (difference != 0) {
                return difference;
            }
        }
        return 0;
    }

    /** Marks the duplicates among all pairs. */
    public void markPairs(Partitions pairs) throws IOException {
        long alone = 0;
        for (int k = 0; k < Partitions.COUNT; k++) {
            long[] words = pairs.take(k);
            long[] hashes = new long[words.length / ReadEndStore.PAIR_WORDS];
            for (int row = 0; row < hashes.length; row++) {
                int at = row * ReadEndStore.PAIR_WORDS;
                hashes[row] = ReadEndStore.hash(words[at], words[at + 1]);
            }
            alone += forSets(hashes, rows -> markPairs(words, rows));
        }
        if (alone > 0) {
            generator.getDuplicateCountHist().increment(1.0, alone);
            generator.getNonOpticalDuplicateCountHist().increment(1.0, alone);
        }
    }

    /** Marks the duplicates among pairs of equal hash. Returns how many are no duplicates. */
    private int markPairs(long[] words, int[] rows) {
        sort(rows, words, ReadEndStore.PAIR_WORDS);
        int alone = 0;
        for (int from = 0; from < rows.length;) {
            int to = from + 1;
            while (to < rows.length && isSameSet(words, rows[from], rows[to])) {
                to++;
            }
            if (to == from + 1) {
                alone++;
            } else {
                List<ReadEndsForMarkDuplicates> set = new ArrayList<>(to - from);
                for (int k = from; k < to; k++) {
                    set.add(ReadEndStore.pair(words, rows[k]));
                }
                markSet(set);
            }
            from = to;
        }
        return alone;
    }

    private static boolean isSameSet(long[] words, int a, int b) {
        int first = a * ReadEndStore.PAIR_WORDS;
        int second = b * ReadEndStore.PAIR_WORDS;
        return words[first] == words[second]
                && words[first + 1] >>> 16 == words[second + 1] >>> 16;
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
            throw new Unsuitable("several duplicates of one name");
        }
    }

    /** Marks the duplicates among reads without mapped mates. A pair at the place comes first. */
    public void markUnpaired(Partitions unpaired, Partitions pairedReads) throws IOException {
        for (int k = 0; k < Partitions.COUNT; k++) {
            long[] words = unpaired.take(k);
            long[] paired = pairedReads.take(k);
            long[] hashes = new long[words.length / ReadEndStore.UNPAIRED_WORDS];
            if (hashes.length == 0) {
                continue;
            }
            KeySet places = new KeySet(hashes.length);
            for (int row = 0; row < hashes.length; row++) {
                long key = words[row * ReadEndStore.UNPAIRED_WORDS];
                hashes[row] = Partitions.hash(key);
                places.add(key);
            }
            places.markAll(paired);
            for (int row = 0; row < hashes.length; row++) {
                int at = row * ReadEndStore.UNPAIRED_WORDS;
                if (places.isMarked(words[at])) {
                    mark(duplicates, words[at + 3] >>> 16);
                }
            }
            forSets(hashes, rows -> markUnpaired(words, rows, places));
        }
    }

    /** Marks reads of equal hash. Nobody asks how many are no duplicates. */
    private int markUnpaired(long[] words, int[] rows, KeySet places) {
        int width = ReadEndStore.UNPAIRED_WORDS;
        sort(rows, words, width);
        for (int from = 0; from < rows.length;) {
            long key = words[rows[from] * width];
            int best = from;
            int to = from;
            while (to < rows.length && words[rows[to] * width] == key) {
                if (score(words, rows[to]) > score(words, rows[best])) {
                    best = to;
                }
                to++;
            }
            for (int k = from; k < to && !places.isMarked(key); k++) {
                if (k != best) {
                    mark(duplicates, words[rows[k] * width + 3] >>> 16);
                }
            }
            from = to;
        }
        return 0;
    }

    private static short score(long[] words, int row) {
        return (short) words[row * ReadEndStore.UNPAIRED_WORDS + 3];
    }
}
