package org.gklshim.gatk.duplicates;

import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMReadGroupRecord;
import htsjdk.samtools.SAMRecord;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import picard.sam.markduplicates.util.LibraryIdGenerator;

/** The read groups of a header, by their numbers. The last number is that of no read group. */
final class ReadGroups {
    private final SAMFileHeader header;
    private final Map<String, Integer> numbers = new HashMap<>();
    private final String[] ids;

    ReadGroups(SAMFileHeader header) {
        this.header = header;
        List<SAMReadGroupRecord> groups = header.getReadGroups();
        ids = new String[groups.size() + 1];
        for (int k = 0; k < groups.size(); k++) {
            ids[k] = groups.get(k).getReadGroupId();
            numbers.putIfAbsent(ids[k], k);
        }
    }

    /** Returns how many numbers there are. */
    int count() {
        return ids.length;
    }

    int none() {
        return ids.length - 1;
    }

    /** Returns the number of a read group, or -1 if the header does not have it. */
    int number(String id) {
        return numbers.getOrDefault(id, -1);
    }

    String id(int number) {
        return ids[number];
    }

    String library(int number) {
        return LibraryIdGenerator.getLibraryName(header, record(number));
    }

    /** Returns a record of a read group. */
    SAMRecord record(int number) {
        SAMRecord record = new SAMRecord(header);
        record.setAttribute("RG", ids[number]);
        return record;
    }
}
