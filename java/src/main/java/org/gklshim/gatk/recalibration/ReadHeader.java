package org.gklshim.gatk.recalibration;

import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMReadGroupRecord;
import htsjdk.samtools.SAMSequenceRecord;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The contigs of a header, and its read groups. */
final class ReadHeader {
    private final List<String> contigs = new ArrayList<>();
    private final List<SAMReadGroupRecord> records;
    /** The names as bytes; null if one is not ASCII. */
    private final List<byte[]> ids = new ArrayList<>();

    ReadHeader(SAMFileHeader header) {
        for (SAMSequenceRecord contig : header.getSequenceDictionary().getSequences()) {
            contigs.add(contig.getSequenceName());
        }
        records = header.getReadGroups();
        for (SAMReadGroupRecord record : records) {
            byte[] id = record.getId().getBytes(StandardCharsets.US_ASCII);
            ids.add(new String(id, StandardCharsets.US_ASCII).equals(record.getId()) ? id : null);
        }
    }

    /** Returns the name of a contig. */
    String contig(int number) {
        return contigs.get(number);
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
