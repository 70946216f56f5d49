package org.gklshim.gatk.duplicates.reading;

import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMProgramRecord;
import htsjdk.samtools.SAMReadGroupRecord;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.gklshim.gatk.duplicates.UnsuitableException;

/**
 * The read groups and programs that each file lists, with what takes their places. A record with
 * another read group is left to htsjdk. Another program is removed where programs are set.
 */
public final class ListedTexts {
    private static final int PROGRAM = -1;

    private final List<String> texts = new ArrayList<>();
    private final List<String> newTexts = new ArrayList<>();
    private final List<Integer> files = new ArrayList<>();
    private final List<Integer> numbers = new ArrayList<>();

    /** @param newPrograms the new values of the tag PG by the old ones, or null if it stays */
    public ListedTexts(Inputs inputs, ReadGroups groups, Map<String, String> newPrograms) {
        for (int file = 0; file < inputs.files.size(); file++) {
            SAMFileHeader header = inputs.fileHeaders.get(file);
            add(file, groups.none(), null, null);
            for (SAMReadGroupRecord group : header.getReadGroups()) {
                String id = group.getReadGroupId();
                String merged = inputs.group(file, id);
                add(file, groups.number(merged), id, id.equals(merged) ? null : merged);
            }
            Set<String> programs = new HashSet<>();
            programs.add(null);
            for (SAMProgramRecord program : header.getProgramRecords()) {
                programs.add(program.getProgramGroupId());
            }
            if (newPrograms != null && !inputs.renamesPrograms()) {
                // Records may name programs that no header lists.
                programs.addAll(newPrograms.keySet());
            }
            for (String id : programs) {
                String merged = inputs.program(file, id);
                String kept = inputs.renamesPrograms() ? merged : null;
                add(file, PROGRAM, id, newPrograms == null ? kept : newPrograms.get(merged));
            }
        }
    }

    /** Adds a text. One with other characters than those of ASCII is not listed. */
    private void add(int file, int number, String text, String replacement) {
        if (isAscii(text)) {
            if (!isAscii(replacement)) {
                throw new UnsuitableException("a name that is not of ASCII characters");
            }
            texts.add(text);
            newTexts.add(replacement);
            files.add(file);
            numbers.add(number);
        }
    }

    private static boolean isAscii(String text) {
        return text == null || text.chars().allMatch(letter -> letter > 0 && letter < 128);
    }

    public String[] texts() {
        return texts.toArray(new String[0]);
    }

    /** Returns the text that takes the place of each, or null. */
    public String[] newTexts() {
        return newTexts.toArray(new String[0]);
    }

    public int[] files() {
        return files.stream().mapToInt(file -> file).toArray();
    }

    /** Returns the number of each read group, -1 for programs. */
    public int[] groups() {
        return numbers.stream().mapToInt(number -> number).toArray();
    }
}
