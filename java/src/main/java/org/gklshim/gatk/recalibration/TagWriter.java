package org.gklshim.gatk.recalibration;

import org.gklshim.gatk.records.BamFormat;
import org.gklshim.gatk.records.BamRecord;
import org.gklshim.gatk.records.LittleEndian;
import org.gklshim.gatk.records.Tags;

/** Changes tags as GATK's ApplyBQSR does: takes BI and BD out, and may put OQ in. */
final class TagWriter {
    private static final int OQ = Tags.name('O', 'Q');
    private static final int BI = Tags.name('B', 'I');
    private static final int BD = Tags.name('B', 'D');

    private byte[] buffer = new byte[256];

    /**
     * Returns the bytes of a record with such tags, from its name on.
     *
     * @param hasOriginal whether OQ is put in if there is none
     */
    byte[] rewrite(ReadArrays read, boolean hasOriginal) {
        BamRecord record = read.record;
        Tags tags = record.tags;
        byte[] bytes = record.bytes;
        int qualities = record.qualitiesStart;
        int largest = record.end - qualities + Tags.HEADER + 1;
        if (buffer.length < largest) {
            buffer = new byte[2 * largest];
        }
        boolean isOriginalMissing = hasOriginal && tags.find(OQ) < 0;
        int size = 0;
        for (int k = 0; k < tags.count; k++) {
            int name = tags.names[k];
            if (isOriginalMissing && name > OQ) {
                size = writeOriginal(size, bytes, qualities, record.tagsStart);
                isOriginalMissing = false;
            }
            if (name != BI && name != BD) {
                size = Tags.write(buffer, size, name, bytes, tags.starts[k], tags.ends[k]);
            }
        }
        if (isOriginalMissing) {
            size = writeOriginal(size, bytes, qualities, record.tagsStart);
        }
        int first = record.start + BamFormat.FIXED_SIZE;
        int fixed = record.tagsStart - first;
        byte[] result = new byte[fixed + size];
        System.arraycopy(bytes, first, result, 0, fixed);
        System.arraycopy(buffer, 0, result, fixed, size);
        return result;
    }

    private int writeOriginal(int offset, byte[] record, int qualities, int end) {
        LittleEndian.putShort(buffer, offset, OQ);
        buffer[offset + 2] = 'Z';
        int at = offset + Tags.HEADER;
        for (int k = qualities; k < end; k++) {
            buffer[at++] = (byte) (record[k] + ReadArrays.FIRST_QUALITY);
        }
        buffer[at++] = 0;
        return at;
    }
}
