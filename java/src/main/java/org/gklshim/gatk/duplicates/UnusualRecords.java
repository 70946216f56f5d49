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
     * Decodes a record of a batch.
     *
     * @throws Unsuitable if htsjdk finds a fault in it and is strict: Picard stops one record earlier
     */
    SAMRecord decode(BamRecords records, int number) {
        int start = records.starts[number];
        codec.setInputStream(new ByteArrayInputStream(records.bytes, start,
                records.starts[number + 1] - start));
        try {
            SAMRecord record = codec.decode();
            record.setValidationStringency(stringency);
            if (stringency != ValidationStringency.SILENT) {
                SAMUtils.processValidationErrors(
                        record.isValid(stringency == ValidationStringency.STRICT),
                        records.firstIndex + number + 1, stringency);
            }
            return record;
        } catch (RuntimeException e) {
            throw new Unsuitable("a faulty record: " + e.getMessage());
        }
    }
}
