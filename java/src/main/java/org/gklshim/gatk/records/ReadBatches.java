package org.gklshim.gatk.records;

import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMRecord;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;
import org.broadinstitute.hellbender.utils.read.GATKRead;

/** The reads of an iterator of GATK, for inputs that are not one BAM file. */
public final class ReadBatches implements RecordBatches {
    private static final int READS = 1024;
    /** A limit for long reads. */
    private static final int BASES = 1 << 19;

    private final Iterator<GATKRead> reads;
    private final SAMFileHeader header;
    private final Predicate<GATKRead> filter;
    private long index;
    private boolean isAtEnd;

    /** Makes batches of those reads that a filter lets pass. */
    public ReadBatches(Iterator<GATKRead> reads, SAMFileHeader header,
            Predicate<GATKRead> filter) {
        this.reads = reads;
        this.header = header;
        this.filter = filter;
    }

    @Override
    public RecordBatch next() {
        if (isAtEnd) {
            return null;
        }
        List<GATKRead> batch = new ArrayList<>();
        long bases = 0;
        Throwable failure = null;
        try {
            while (batch.size() < READS && bases < BASES && !isAtEnd) {
                isAtEnd = !reads.hasNext();
                GATKRead read = isAtEnd ? null : reads.next();
                if (read != null && filter.test(read)) {
                    batch.add(read);
                    bases += length(read);
                }
            }
        } catch (RuntimeException | Error e) {
            failure = e;
            isAtEnd = true;
        }
        index += batch.size();
        return RecordBatch.of(batch, bases, index - batch.size(), failure);
    }

    /** Returns a read's length, without decoding the bases. */
    private static int length(GATKRead read) {
        SAMRecord record = Records.of(read);
        return record == null ? read.getLength() : record.getReadLength();
    }

    @Override
    public Records records() {
        return new Records(header, null);
    }

    @Override
    public void giveBack(RecordBatch batch) {}
}
