package org.gklshim.gatk.recalibration;

import java.util.Arrays;
import org.gklshim.gatk.records.LittleEndian;
import org.gklshim.gatk.records.Tags;

/** Changes tags as GATK's ApplyBQSR does: takes BI and BD out, and may put OQ in. */
final class TagWriter {
    private static final int OQ = Tags.name('O', 'Q');
    private static final int BI = Tags.name('B', 'I');
    private static final int BD = Tags.name('B', 'D');

    private byte[] buffer = new byte[256];

    /**
     * Returns the bytes of a record with such tags.
     *
     * @param hasOriginal whether OQ is put in if there is none
     */
    byte[] rewrite(ReadArrays read, boolean hasOriginal) {
        Tags tags = read.tags;
        byte[] record = read.bytes;
        int start = read.tagsStart;
        int qualities = start - read.length;
        int largest = record.length - qualities + Tags.HEADER + 1;
        if (buffer.length < largest) {
            buffer = new byte[2 * largest];
        }
        boolean isOriginalMissing = hasOriginal && tags.find(OQ) < 0;
        int size = 0;
        for (int k = 0; k < tags.count; k++) {
            int name = tags.names[k];
            if (isOriginalMissing && name > OQ) {
                size = writeOriginal(size, record, qualities, start);
                isOriginalMissing = false;
            }
            if (name != BI && name != BD) {
                size = Tags.write(buffer, size, name, record, tags.starts[k], tags.ends[k]);
            }
        }
        if (isOriginalMissing) {
            size = writeOriginal(size, record, qualities, start);
        }
        byte[] result = Arrays.copyOf(record, start + size);
        System.arraycopy(buffer, 0, result, start, size);
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
