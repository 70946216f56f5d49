package org.gklshim.gatk.duplicates.reading;

import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMReadGroupRecord;
import htsjdk.samtools.SAMRecord;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import picard.sam.markduplicates.util.LibraryIdGenerator;

/** The read groups of a header, by their numbers. The last number stands for no read group. */
public final class ReadGroups {
    private static final byte[] NOTHING = {};

    private final SAMFileHeader header;
    private final Map<String, Integer> numbers = new HashMap<>();
    private final String[] ids;
    private final byte[][] idBytes;

    public ReadGroups(SAMFileHeader header) {
        this.header = header;
        List<SAMReadGroupRecord> groups = header.getReadGroups();
        ids = new String[groups.size() + 1];
        for (int k = 0; k < groups.size(); k++) {
            ids[k] = groups.get(k).getReadGroupId();
            numbers.putIfAbsent(ids[k], k);
        }
        idBytes = new byte[ids.length][];
        for (int k = 0; k < ids.length; k++) {
            idBytes[k] = ids[k] == null ? NOTHING : bytes(ids[k]);
        }
    }

    /** Returns how many numbers there are. */
    public int count() {
        return ids.length;
    }

    public int none() {
        return ids.length - 1;
    }

    /** Returns the number of a read group, or -1 if the header does not have it. */
    int number(String id) {
        return numbers.getOrDefault(id, -1);
    }

    /** Returns the name of a read group as it is in a BAM file. */
    public byte[] idBytes(int number) {
        return idBytes[number];
    }

    /** Returns the bytes of a text, as they are in a BAM file. */
    public static byte[] bytes(String text) {
        byte[] bytes = new byte[text.length()];
        for (int k = 0; k < bytes.length; k++) {
            bytes[k] = (byte) text.charAt(k);
        }
        return bytes;
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
