package org.gklshim.gatk.blocks;

import htsjdk.samtools.BAMFileSpan;
import htsjdk.samtools.BAMFileWriter;
import htsjdk.samtools.Chunk;
import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMFileHeader.SortOrder;
import htsjdk.samtools.SAMFileSource;
import htsjdk.samtools.SAMRecord;
import htsjdk.samtools.util.BinaryCodec;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.gklshim.gatk.Members;
import org.gklshim.gatk.blocks.PendingIndex.Entry;
import org.gklshim.gatk.blocks.PendingIndex.IndexedRecord;

/**
 * A BAM file of htsjdk's that records are written to as bytes. htsjdk's own thread for it, if there
 * is one, has nothing to write.
 */
public final class RecordOutput {
    private final BAMFileWriter writer;
    private final BinaryCodec codec;
    /** What htsjdk checks the order of the records with, or null. */
    private final Object order;
    /** Set if htsjdk's thread is not to complete the file. Null if there is no thread. */
    private final AtomicBoolean isClosed;
    private final IndexedRecord indexed;
    /** Where the last record is. */
    private int reference;
    private int position;
    private boolean isEmpty = true;

    private RecordOutput(BAMFileWriter writer, Object order, AtomicBoolean isClosed) {
        this.writer = writer;
        this.order = order;
        this.isClosed = isClosed;
        codec = (BinaryCodec) Members.get(writer, "outputBinaryCodec");
        indexed = new IndexedRecord(writer.getFileHeader());
    }

    /**
     * Returns the output of a writer of htsjdk, or null if it is no BAM file, or the order of the
     * records is not by coordinate.
     *
     * @param header the header of the records
     */
    public static RecordOutput of(Object samWriter, SAMFileHeader header) {
        Object writer = Members.get(samWriter, "underlyingWriter", samWriter);
        if (writer.getClass() != BAMFileWriter.class || !isOpen()) {
            return null;
        }
        BAMFileWriter bam = (BAMFileWriter) writer;
        Object order = Members.get(bam, "sortOrderChecker");
        if (Members.get(bam, "alignmentSorter") != null
                || order != null && Members.get(bam, "sortOrder") != SortOrder.coordinate
                || !bam.getFileHeader().getSequenceDictionary().equals(
                        header.getSequenceDictionary())) {
            return null;
        }
        return new RecordOutput(bam, order, writer == samWriter ? null
                : (AtomicBoolean) Members.get(samWriter, "isClosed"));
    }

    /** Returns whether the agent has opened the writer's fields. */
    private static boolean isOpen() {
        try {
            BAMFileWriter.class.getField("bamIndexer");
            return true;
        } catch (NoSuchFieldException e) {
            return false;
        }
    }

    /**
     * Writes a record, from a place in an array to another one.
     *
     * @param last the last position of the alignment, or 0
     * @param decoded htsjdk's form of the record
     */
    public void write(byte[] bytes, int from, int to, int reference, int position, int last,
            boolean isUnmapped, Supplier<SAMRecord> decoded) {
        if (order != null && !isEmpty && isBefore(reference, position)) {
            write(decoded.get());
            return;
        }
        try {
            PendingIndex index = writer.bamIndexer == null ? null : PendingIndex.of(writer);
            if (writer.bamIndexer == null) {
                codec.writeBytes(bytes, from, to - from);
            } else if (index == null) {
                long start = writer.blockCompressedOutputStream.getFilePointer();
                codec.writeBytes(bytes, from, to - from);
                index(new Entry(reference, position, last, isUnmapped), start);
            } else if (!index.write(bytes, from, to, codec, reference, position, last,
                    isUnmapped)) {
                write(decoded.get());
                return;
            }
        } catch (RuntimeException e) {
            end();
            throw writer.bamIndexer == null ? e : PendingIndex.failed(writer, decoded.get(), e);
        } catch (Error e) {
            end();
            throw e;
        }
        setLast(reference, position);
    }

    private void index(Entry entry, long start) {
        indexed.entry = entry;
        long end = writer.blockCompressedOutputStream.getFilePointer();
        indexed.setFileSource(new SAMFileSource(null, new BAMFileSpan(new Chunk(start, end))));
        writer.bamIndexer.processAlignment(indexed);
    }

    /** Has htsjdk write a record. */
    public void write(SAMRecord record) {
        try {
            if (order != null && !isEmpty) {
                SAMRecord last = new SAMRecord(writer.getFileHeader());
                last.setReferenceIndex(reference);
                last.setAlignmentStart(position);
                Members.replace(order, "prev", last);
            }
            writer.addAlignment(record);
        } catch (RuntimeException | Error e) {
            end();
            throw e;
        }
        setLast(record.getReferenceIndex(), record.getAlignmentStart());
    }

    private void setLast(int reference, int position) {
        this.reference = reference;
        this.position = position;
        isEmpty = false;
    }

    /** Returns whether a record belongs before the last one. Those without a place come last. */
    private boolean isBefore(int reference, int position) {
        return reference == this.reference ? reference >= 0 && position < this.position
                : this.reference == -1 || reference >= 0 && reference < this.reference;
    }

    /** Leaves the file incomplete, as htsjdk does if its thread cannot write a record. */
    private void end() {
        if (isClosed != null) {
            isClosed.set(true);
        }
    }
}
