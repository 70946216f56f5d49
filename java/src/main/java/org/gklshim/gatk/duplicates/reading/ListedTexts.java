package org.gklshim.gatk.duplicates.reading;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import org.gklshim.gatk.duplicates.RecordMethods;

/**
 * The read groups and programs that records name, as the table that native code looks them up in.
 * It asks for those that are not there yet. Each thread has its own.
 */
public final class ListedTexts {
    /** The numbers of a row: the tag and the file, the text, its value, and the new text. */
    private static final int TEXT_OF = 0;
    private static final int START = 1;
    private static final int LENGTH = 2;
    private static final int NEW_START = 4;
    private static final int NEW_LENGTH = 5;
    public static final int ROW = 6;
    /** The kind of the texts of the tag RG. The others are those of PG. */
    private static final int GROUP = 0;
    private static final int EMPTY = -1;
    private static final int FIRST_SLOTS = 16;

    private final Inputs inputs;
    private final ReadGroups groups;
    /** The new values of the tag PG by the old ones, or null if it stays. */
    private final Map<String, String> newPrograms;
    private int[] rows = emptyRows(FIRST_SLOTS);
    private byte[] letters = new byte[1 << 8];
    private int lettersEnd;
    private int count;
    /** Other threads read the elements that were there when they got a batch. */
    private String[] programs = new String[FIRST_SLOTS];
    private int programCount;

    /** Makes a table whose letters begin with the names of the sequences. */
    public ListedTexts(Inputs inputs, ReadGroups groups, Places places,
            Map<String, String> newPrograms) {
        this.inputs = inputs;
        this.groups = groups;
        this.newPrograms = newPrograms;
        for (String name : places.names) {
            append(bytes(name));
        }
    }

    private static int[] emptyRows(int slots) {
        int[] rows = new int[slots * ROW];
        Arrays.fill(rows, EMPTY);
        return rows;
    }

    public int[] rows() {
        return rows;
    }

    public byte[] letters() {
        return letters;
    }

    /** Returns the programs, as merged files name them, by their values. */
    public String[] programs() {
        return programs;
    }

    /** Returns the bytes of a text, as they are in a BAM file. */
    public static byte[] bytes(String text) {
        byte[] bytes = new byte[text.length()];
        for (int k = 0; k < bytes.length; k++) {
            bytes[k] = (byte) text.charAt(k);
        }
        return bytes;
    }

    /** Adds the text that is unknown where native code has stopped. */
    public void add(byte[] bytes, int[] stop) {
        int textOf = stop[RecordMethods.TEXT_OF];
        int length = stop[RecordMethods.TEXT_LENGTH];
        String text = length < 0 ? null : new String(bytes, stop[RecordMethods.TEXT_START], length,
                StandardCharsets.ISO_8859_1);
        if ((textOf & 1) == GROUP) {
            addGroup(textOf, text);
        } else {
            addProgram(textOf, text);
        }
    }

    private void addGroup(int textOf, String id) {
        if (id == null) {
            add(textOf, null, groups.none(), null);
            return;
        }
        String merged = inputs.group(textOf >> 1, id);
        int number = merged == null ? -1 : groups.number(merged);
        add(textOf, id, number, number < 0 || id.equals(merged) ? null : groups.idBytes(number));
    }

    private void addProgram(int textOf, String id) {
        String merged = inputs.program(textOf >> 1, id);
        String replacement = merged;
        if (newPrograms != null) {
            replacement = newPrograms.get(merged);
        } else if (!inputs.renamesPrograms()) {
            replacement = null;
        }
        if (programCount == programs.length) {
            programs = Arrays.copyOf(programs, 2 * programCount);
        }
        programs[programCount] = merged;
        add(textOf, id, programCount++, replacement == null ? null
                : replacement.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Adds a row. A text of null stands for records without the tag. */
    private void add(int textOf, String text, int value, byte[] replacement) {
        // Less than half of the slots are taken.
        if (2 * ++count * ROW >= rows.length) {
            int[] before = rows;
            rows = emptyRows(2 * before.length / ROW);
            for (int at = 0; at < before.length; at += ROW) {
                if (before[at] != EMPTY) {
                    System.arraycopy(before, at, rows, slot(hash(before, at)), ROW);
                }
            }
        }
        int[] row = {textOf, lettersEnd, text == null ? -1 : text.length(), value, -1, -1};
        if (text != null) {
            append(bytes(text));
        }
        if (replacement != null) {
            row[NEW_START] = lettersEnd;
            row[NEW_LENGTH] = replacement.length;
            append(replacement);
        }
        System.arraycopy(row, 0, rows, slot(hash(row, 0)), ROW);
    }

    private void append(byte[] text) {
        if (letters.length - lettersEnd < text.length) {
            letters = Arrays.copyOf(letters, 2 * (lettersEnd + text.length));
        }
        System.arraycopy(text, 0, letters, lettersEnd, text.length);
        lettersEnd += text.length;
    }

    private int hash(int[] from, int at) {
        int hash = from[at + TEXT_OF];
        for (int k = 0; k < from[at + LENGTH]; k++) {
            hash = 31 * hash + (letters[from[at + START] + k] & 0xff);
        }
        return hash;
    }

    /** Returns where the first empty row is from the slot of a hash on. */
    private int slot(int hash) {
        int mask = rows.length / ROW - 1;
        int slot = hash & mask;
        while (rows[slot * ROW] != EMPTY) {
            slot = slot + 1 & mask;
        }
        return slot * ROW;
    }
}
