package org.gklshim.gatk.duplicates.reading;

import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMReadGroupRecord;
import htsjdk.samtools.SAMRecord;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.gklshim.gatk.duplicates.MarkingOptions;
import org.gklshim.gatk.records.Tags;
import picard.sam.markduplicates.util.LibraryIdGenerator;

/** The read groups of a header, by their numbers. The last number stands for no read group. */
public final class ReadGroups {
    private static final byte[] NOTHING = {};

    private final Inputs inputs;
    private final SAMFileHeader header;
    private final Map<String, Integer> numbers = new HashMap<>();
    private final String[] ids;
    private final byte[][] idBytes;

    public ReadGroups(Inputs inputs) {
        this.inputs = inputs;
        header = inputs.header;
        List<SAMReadGroupRecord> groups = header.getReadGroups();
        ids = new String[groups.size() + 1];
        for (int k = 0; k < groups.size(); k++) {
            ids[k] = groups.get(k).getReadGroupId();
            numbers.putIfAbsent(ids[k], k);
        }
        idBytes = new byte[ids.length][];
        for (int k = 0; k < ids.length; k++) {
            idBytes[k] = ids[k] == null ? NOTHING : TextValues.bytes(ids[k]);
        }
    }

    /** Returns how many numbers there are. */
    public int count() {
        return ids.length;
    }

    public int none() {
        return ids.length - 1;
    }

    /** Finds the read groups of a file's records for one thread. */
    final class Finder {
        private final int file;
        private final TextValues texts = new TextValues();
        private String lastId;
        private int lastNumber;
        private boolean isLastRenamed;

        Finder(int file) {
            this.file = file;
        }

        /** Returns the number of a record's read group, or -1 if the header does not have it. */
        int find(byte[] bytes, Tags tags) {
            int tag = tags.find(Tags.RG);
            if (tag < 0) {
                return none();
            }
            if (bytes[tags.starts[tag]] != 'Z') {
                return -1;
            }
            String id = texts.get(bytes, tags.starts[tag], tags.ends[tag]);
            // Neighbours have the same one mostly. The same text is the same object.
            if (id != lastId) {
                lastId = id;
                String merged = inputs.group(file, id);
                lastNumber = merged == null ? -1 : numbers.getOrDefault(merged, -1);
                isLastRenamed = !id.equals(merged);
            }
            return lastNumber;
        }

        /** Returns whether the read group found last has another name among merged files. */
        boolean isRenamed() {
            return isLastRenamed;
        }
    }

    /** Returns a finder for each file. */
    Finder[] finders() {
        Finder[] finders = new Finder[inputs.files.size()];
        for (int k = 0; k < finders.length; k++) {
            finders[k] = new Finder(k);
        }
        return finders;
    }

    String id(int number) {
        return ids[number];
    }

    /** Returns the name of a read group as it is in a BAM file. */
    public byte[] idBytes(int number) {
        return idBytes[number];
    }

    /** Returns what mates have in common beside their name. */
    public byte[] keyStart(int number, MarkingOptions options) {
        return options.pairsWithinGroups ? idBytes[number] : NOTHING;
    }

    public String library(int number) {
        return LibraryIdGenerator.getLibraryName(header, record(number));
    }

    /** Returns a record of a read group. */
    public SAMRecord record(int number) {
        SAMRecord record = new SAMRecord(header);
        record.setAttribute("RG", ids[number]);
        return record;
    }
}
