package org.gklshim.gatk.duplicates.reading;

import htsjdk.samtools.BAMRecordCodec;
import htsjdk.samtools.SAMRecord;
import htsjdk.samtools.SAMUtils;
import htsjdk.samtools.ValidationStringency;
import java.io.ByteArrayInputStream;
import org.gklshim.gatk.duplicates.UnsuitableException;

/** Has htsjdk decode records, and check them as its reader of BAM files does. */
public final class UnusualRecords {
    private final Inputs inputs;
    private final BAMRecordCodec[] codecs;
    private final ValidationStringency stringency;

    public UnusualRecords(Inputs inputs, ValidationStringency stringency) {
        this.inputs = inputs;
        codecs = new BAMRecordCodec[inputs.files.size()];
        for (int k = 0; k < codecs.length; k++) {
            codecs[k] = new BAMRecordCodec(inputs.fileHeaders.get(k));
        }
        this.stringency = stringency;
    }

    /**
     * Decodes a record of a batch.
     *
     * @throws UnsuitableException if htsjdk finds a fault in it and is strict. Picard stops a
     *     record earlier
     */
    public SAMRecord decode(BamRecords records, int number) {
        int start = records.starts[number];
        int file = records.file(number);
        BAMRecordCodec codec = codecs[file];
        codec.setInputStream(new ByteArrayInputStream(records.bytes, start,
                records.starts[number + 1] - start));
        try {
            SAMRecord record = codec.decode();
            record.setValidationStringency(stringency);
            if (stringency != ValidationStringency.SILENT) {
                SAMUtils.processValidationErrors(
                        record.isValid(stringency == ValidationStringency.STRICT),
                        records.fileIndex(number) + 1, stringency);
            }
            if (codecs.length > 1) {
                merge(record, file);
            }
            return record;
        } catch (RuntimeException e) {
            throw new UnsuitableException("a faulty record: " + e.getMessage());
        }
    }

    /** Does for a record what htsjdk does when it merges files. */
    private void merge(SAMRecord record, int file) {
        record.setHeader(inputs.header);
        String group = record.getStringAttribute("RG");
        if (group != null && inputs.renamesGroups()) {
            record.setAttribute("RG", inputs.group(file, group));
        }
        String program = record.getStringAttribute("PG");
        if (program != null && inputs.renamesPrograms()) {
            record.setAttribute("PG", inputs.program(file, program));
        }
    }
}
