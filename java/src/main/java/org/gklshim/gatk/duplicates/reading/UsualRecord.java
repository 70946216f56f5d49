package org.gklshim.gatk.duplicates.reading;

import org.gklshim.gatk.records.BamRecord;
import org.gklshim.gatk.records.Tags;

/**
 * A record of the input in which htsjdk finds no fault, and its read group and program. The others
 * are left to htsjdk. Each thread has its own.
 */
public final class UsualRecord {
    public final BamRecord fields;
    /** The number of the read group. */
    public int group;
    private final ReadGroups.Finder[] groups;
    private final ProgramFinder[] programs;
    private int file;

    public UsualRecord(Inputs inputs, ReadGroups groups, Genome genome) {
        fields = new BamRecord(genome.lengths);
        this.groups = groups.finders();
        programs = ProgramFinder.of(inputs);
    }

    /** Reads a record of a batch. Returns whether it is a usual one. */
    public boolean parse(BamRecords records, int number) {
        if (!fields.parse(records.bytes, records.starts[number], records.starts[number + 1])
                || !fields.isValid() || !fields.parseTags()) {
            return false;
        }
        file = records.file(number);
        group = groups[file].find(fields.bytes, fields.tags);
        int program = fields.tags.find(Tags.PG);
        return group >= 0
                && (program < 0 || fields.bytes[fields.tags.starts[program]] == 'Z');
    }

    /** Returns whether the read group has another name among merged files. */
    public boolean isGroupRenamed() {
        return groups[file].isRenamed();
    }

    /** Returns the program, as merged files name it, or null. */
    public String program() {
        return programs[file].find(fields.bytes, fields.tags);
    }
}
