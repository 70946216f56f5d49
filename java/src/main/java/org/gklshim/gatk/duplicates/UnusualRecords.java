package org.gklshim.gatk.duplicates;

import htsjdk.samtools.BAMRecordCodec;
import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMRecord;
import htsjdk.samtools.SAMUtils;
import htsjdk.samtools.ValidationStringency;
import java.io.ByteArrayInputStream;

/** Has htsjdk decode records, and check them as its reader of BAM files does. */
final class UnusualRecords {
    private final BAMRecordCodec codec;
    private final ValidationStringency stringency;

    UnusualRecords(SAMFileHeader header, ValidationStringency stringency) {
        codec = new BAMRecordCodec(header);
        this.stringency = stringency;
    }

    /**
     * Decodes a record.
     *
     * @param index its place in the file, from 0
     * @throws Unsuitable if htsjdk finds a fault in it and is strict: Picard stops one record earlier
     */
    SAMRecord decode(byte[] bytes, int start, int end, long index) {
        codec.setInputStream(new ByteArrayInputStream(bytes, start, end - start));
        try {
            SAMRecord record = codec.decode();
            record.setValidationStringency(stringency);
            if (stringency != ValidationStringency.SILENT) {
                SAMUtils.processValidationErrors(
                        record.isValid(stringency == ValidationStringency.STRICT), index + 1,
                        stringency);
            }
            return record;
        } catch (RuntimeException e) {
            throw new Unsuitable("a faulty record: " + e.getMessage());
        }
    }
}
