package org.gklshim.gatk.duplicates.reading;

import org.gklshim.gatk.records.Tags;

/** Finds the programs that a file's records name, for one thread. */
final class ProgramFinder {
    private final Inputs inputs;
    private final int file;
    private final TextValues texts = new TextValues();
    private String lastId;
    private String lastMerged;

    private ProgramFinder(Inputs inputs, int file) {
        this.inputs = inputs;
        this.file = file;
    }

    /** Returns a finder for each file. */
    static ProgramFinder[] of(Inputs inputs) {
        ProgramFinder[] finders = new ProgramFinder[inputs.files.size()];
        for (int k = 0; k < finders.length; k++) {
            finders[k] = new ProgramFinder(inputs, k);
        }
        return finders;
    }

    /** Returns the program of a record, as merged files name it, or null. */
    String find(byte[] bytes, Tags tags) {
        int tag = tags.find(Tags.PG);
        if (tag < 0) {
            return null;
        }
        String id = texts.get(bytes, tags.starts[tag], tags.ends[tag]);
        // Neighbours have the same one mostly. The same text is the same object.
        if (id != lastId) {
            lastId = id;
            lastMerged = inputs.program(file, id);
        }
        return lastMerged;
    }
}
