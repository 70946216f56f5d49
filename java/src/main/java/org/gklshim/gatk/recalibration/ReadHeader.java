package org.gklshim.gatk.recalibration;

import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMReadGroupRecord;
import htsjdk.samtools.SAMSequenceRecord;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What reads are checked against: the contigs of a header, and its read groups. */
final class ReadHeader {
    private final List<Integer> contigs = new ArrayList<>();
    private final List<SAMReadGroupRecord> records;
    /** The names as bytes; null if one is not ASCII. */
    private final List<byte[]> ids = new ArrayList<>();
    private final Map<String, Integer> numbers = new HashMap<>();

    ReadHeader(SAMFileHeader header) {
        for (SAMSequenceRecord contig : header.getSequenceDictionary().getSequences()) {
            contigs.add(contig.getSequenceLength());
        }
        records = header.getReadGroups();
        for (SAMReadGroupRecord record : records) {
            numbers.put(record.getId(), ids.size());
            byte[] id = record.getId().getBytes(StandardCharsets.US_ASCII);
            ids.add(new String(id, StandardCharsets.US_ASCII).equals(record.getId()) ? id : null);
        }
    }

    /** Returns whether a contig has a position. */
    boolean has(int contig, int position) {
        return contig >= 0 && contig < contigs.size() && position > 0
                && position <= contigs.get(contig);
    }

    int readGroups() {
        return records.size();
    }

    /** Returns the number of each read group in GATK's tables, where equal names are one. */
    int[] keys() {
        Map<String, Integer> keys = new HashMap<>();
        int[] result = new int[records.size()];
        for (int k = 0; k < result.length; k++) {
            String name = name(k);
            keys.putIfAbsent(name, keys.size());
            result[k] = keys.get(name);
        }
        return result;
    }

    /** Returns the name of a read group in GATK's tables. */
    String name(int number) {
        SAMReadGroupRecord record = records.get(number);
        return record.getPlatformUnit() == null ? record.getId() : record.getPlatformUnit();
    }

    /** Returns whether each read group has a platform. */
    boolean hasPlatforms() {
        return records.stream().allMatch(record -> record.getPlatform() != null);
    }

    /** Returns the number of a read group, or -1 if there is none of this name. */
    int readGroup(String id) {
        return id == null ? -1 : numbers.getOrDefault(id, -1);
    }

    /** Returns the number of a read group by its name's bytes, or -1 if there is none. */
    int readGroup(byte[] data, int start, int end) {
        for (int k = 0; k < ids.size(); k++) {
            byte[] id = ids.get(k);
            if (id != null && id.length == end - start && equal(id, data, start)) {
                return k;
            }
        }
        return -1;
    }

    private static boolean equal(byte[] id, byte[] data, int start) {
        for (int k = 0; k < id.length; k++) {
            if (id[k] != data[start + k]) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether a read group has a platform by now: GATK may set it where there is none. */
    boolean hasPlatform(int number) {
        return records.get(number).getPlatform() != null;
    }
}
