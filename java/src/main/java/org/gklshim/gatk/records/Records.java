package org.gklshim.gatk.records;

import htsjdk.samtools.BAMRecordCodec;
import htsjdk.samtools.QueryInterval;
import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMRecord;
import htsjdk.samtools.SAMSequenceRecord;
import htsjdk.samtools.ValidationStringency;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import org.broadinstitute.hellbender.utils.SimpleInterval;
import org.broadinstitute.hellbender.utils.read.GATKRead;
import org.broadinstitute.hellbender.utils.read.SAMRecordToGATKReadAdapter;
import org.gklshim.gatk.threads.OrderedTasks;

/**
 * Goes through the records of batches. A record of bytes becomes a read of GATK only if somebody
 * asks for it. A record that came as a read is written as bytes first.
 */
public final class Records {
    /** A stream that shows its bytes. */
    private static final class Bytes extends ByteArrayOutputStream {
        byte[] array() {
            return buf;
        }
    }

    private final SAMFileHeader header;
    private final BAMRecordCodec decoder;
    private final BAMRecordCodec encoder;
    private final Bytes encoded = new Bytes();
    private final BamRecord record;
    /** Null if all records count. */
    private final Intervals intervals;
    private RecordBatch batch;
    private int number;
    private boolean isUsual;
    /** Null until somebody asks for it. */
    private GATKRead read;

    /** @param queried the intervals that records must overlap, or null */
    Records(SAMFileHeader header, QueryInterval[] queried) {
        this.header = header;
        intervals = queried == null ? null : new Intervals(queried);
        decoder = new BAMRecordCodec(header);
        encoder = new BAMRecordCodec(header);
        encoder.setOutputStream(encoded);
        record = new BamRecord(header.getSequenceDictionary().getSequences().stream()
                .mapToInt(SAMSequenceRecord::getSequenceLength).toArray());
    }

    /** Goes to the place before the first record of a batch. */
    public void begin(RecordBatch next) {
        batch = next;
        number = -1;
        if (intervals != null) {
            intervals.first = batch.firstInterval;
        }
    }

    /**
     * Goes to the next record of the batch. Returns false if there is none.
     *
     * @throws RuntimeException or an error: what the input has thrown after the last record
     */
    public boolean next() {
        while (intervals == null || !intervals.arePassed()) {
            if (++number >= batch.count) {
                if (batch.failure != null) {
                    OrderedTasks.<RuntimeException>rethrow(batch.failure);
                }
                return false;
            }
            parse(number);
            if (intervals == null || overlaps()) {
                return true;
            }
        }
        return false;
    }

    private void parse(int place) {
        if (batch.reads == null) {
            read = null;
            isUsual = record.parse(batch.bytes, batch.starts[place], batch.starts[place + 1]);
        } else {
            read = batch.reads.get(place);
            isUsual = encode() && record.parse(encoded.array(), 0, encoded.size());
        }
    }

    /** Writes the read as bytes. Returns false if that may lose anything. */
    private boolean encode() {
        SAMRecord object = of(read);
        try {
            // htsjdk puts a longer CIGAR into a tag, and forgets a mate's contig without a number.
            if (object == null || object.getCigarLength() > 0xffff
                    || object.getMateReferenceIndex() < 0
                    && !object.getMateReferenceName().equals("*")
                    || object.getVariableBinaryRepresentation() == null
                    && object.getReadBases().length != object.getBaseQualities().length) {
                return false;
            }
            encoded.reset();
            encoder.encode(object);
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }

    private boolean overlaps() {
        if (isUsual) {
            return intervals.overlap(record.reference, record.position, record.lastPosition(),
                    record.has(BamFormat.UNMAPPED));
        }
        SAMRecord object = decoded();
        return intervals.overlap(object.getReferenceIndex(), object.getAlignmentStart(),
                object.getAlignmentEnd(), object.getReadUnmappedFlag());
    }

    /** Returns the record, if it is usual. */
    public BamRecord record() {
        return record;
    }

    /** Returns whether the record is usual. If not, only {@link #read} is to be asked. */
    public boolean isUsual() {
        return isUsual;
    }

    /** Returns GATK's form of the record. */
    public GATKRead read() {
        if (read == null) {
            read = new SAMRecordToGATKReadAdapter(decode(batch, number));
        }
        return read;
    }

    /** Returns htsjdk's form of a record of bytes. */
    SAMRecord decode(RecordBatch from, int place) {
        int start = from.starts[place];
        decoder.setInputStream(
                new ByteArrayInputStream(from.bytes, start, from.starts[place + 1] - start));
        return silent(decoder.decode());
    }

    /** Returns htsjdk's form of the record, if it has one. */
    SAMRecord decoded() {
        return of(read());
    }

    static SAMRecord silent(SAMRecord decoded) {
        decoded.setValidationStringency(ValidationStringency.SILENT);
        return decoded;
    }

    /** Returns htsjdk's form of a read, or null if it has none. */
    static SAMRecord of(GATKRead read) {
        return read instanceof SAMRecordToGATKReadAdapter
                ? ((SAMRecordToGATKReadAdapter) read).getEncapsulatedSamRecord() : null;
    }

    /** Returns GATK's interval of the record: null if it has no place. */
    public SimpleInterval place() {
        if (!isUsual) {
            return place(read());
        }
        String contig = record.isUnmapped() ? null
                : header.getSequence(record.reference).getSequenceName();
        return place(contig, record.position, record.lastPosition());
    }

    /** Returns the interval of a record of the batch. */
    SimpleInterval place(int place) {
        number = place;
        parse(place);
        return place();
    }

    private static SimpleInterval place(GATKRead read) {
        return place(read.getContig(), read.getStart(), read.getEnd());
    }

    private static SimpleInterval place(String contig, int start, int end) {
        return contig != null && start > 0 && end >= start
                ? new SimpleInterval(contig, start, end) : null;
    }

    /** Returns the number of the record in its batch. */
    int number() {
        return number;
    }

    /** Returns where the last record of the batch begins, or a large number if it is elsewhere. */
    public int lastStart() {
        int last = batch.count - 1;
        if (batch.reads != null) {
            return batch.reads.get(last).getStart();
        }
        int start = batch.starts[last];
        return LittleEndian.integer(batch.bytes, start + 4) == record.reference
                ? LittleEndian.integer(batch.bytes, start + 8) + 1 : Integer.MAX_VALUE >> 1;
    }
}
