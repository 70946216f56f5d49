package org.gklshim.gatk.duplicates;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import picard.sam.markduplicates.util.OpticalDuplicateFinder;
import picard.sam.markduplicates.util.ReadEndsForMarkDuplicates;

/** Compares names with Picard's parser, and rows from temporary files with those from memory. */
public final class DuplicatesChecks {
    private static final String LETTERS = "0123456789:::---aZ# ";

    private DuplicatesChecks() {}

    public static void main(String[] arguments) throws Exception {
        checkNames();
        checkRows(new File(arguments[0]));
    }

    private static void checkNames() {
        Random choice = new Random(1);
        OpticalDuplicateFinder finder = new OpticalDuplicateFinder();
        int located = 0;
        int[] fields = new int[3];
        for (int k = 0; k < 300000; k++) {
            StringBuilder text = new StringBuilder();
            for (int fieldsLeft = choice.nextInt(9); fieldsLeft > 0; fieldsLeft--) {
                text.append(choice.nextInt(8) > 0 ? "" + choice.nextInt(1 << choice.nextInt(31)) : "");
                text.append(choice.nextInt(9) == 0
                        ? "" + LETTERS.charAt(choice.nextInt(LETTERS.length())) : "");
                text.append(fieldsLeft > 1 ? ":" : "");
            }
            String name = text.toString();
            ReadEndsForMarkDuplicates place = new ReadEndsForMarkDuplicates();
            boolean expected = finder.addLocationInformation(name, place);
            byte[] bytes = ("xy" + name).getBytes(StandardCharsets.ISO_8859_1);
            boolean found = ReadEndsReader.readFields(bytes, 2, name.length(), fields);
            boolean isSame = found == expected && (!found || (short) fields[0] == place.getTile()
                    && (short) fields[1] == (short) place.getX()
                    && (short) fields[2] == (short) place.getY());
            if (!isSame) {
                throw new AssertionError(name + " " + expected + " " + Arrays.toString(fields));
            }
            located += found ? 1 : 0;
        }
        System.out.println("names: " + (located > 20000 && located < 250000));
    }

    private static void checkRows(File folder) throws Exception {
        Random choice = new Random(2);
        for (int width : new int[] {1, 4, 5}) {
            Partitions spilled = new Partitions(width);
            List<List<Long>> expected = new ArrayList<>();
            for (int k = 0; k < Partitions.COUNT; k++) {
                expected.add(new ArrayList<>());
            }
            for (int k = 0; k < 100000; k++) {
                long hash = choice.nextLong();
                long[] row = choice.longs(5).toArray();
                spilled.add(hash, row[0], row[1], row[2], row[3], row[4]);
                for (int word = 0; word < width; word++) {
                    expected.get((int) (hash >>> 58)).add(row[word]);
                }
                if (choice.nextInt(20000) == 0) {
                    spilled.spill(folder);
                }
            }
            for (int k = 0; k < Partitions.COUNT; k++) {
                long[] words = spilled.take(k);
                if (!expected.get(k).equals(boxed(words))) {
                    throw new AssertionError("partition " + k + " of rows of " + width);
                }
            }
            System.out.println("rows of " + width + ", files left: " + folder.list().length);
        }
    }

    private static List<Long> boxed(long[] words) {
        List<Long> list = new ArrayList<>();
        for (long word : words) {
            list.add(word);
        }
        return list;
    }
}
