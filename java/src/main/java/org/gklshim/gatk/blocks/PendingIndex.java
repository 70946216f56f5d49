package org.gklshim.gatk.blocks;

import htsjdk.samtools.BAMFileSpan;
import htsjdk.samtools.BAMFileWriter;
import htsjdk.samtools.BAMIndexMetaData;
import htsjdk.samtools.Chunk;
import htsjdk.samtools.SAMException;
import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMFileSource;
import htsjdk.samtools.SAMRecord;
import htsjdk.samtools.util.BinaryCodec;
import java.util.ArrayDeque;
import org.gklshim.gatk.Members;

/**
 * The records of a BAM file that its index does not have yet, because the blocks that they end in
 * were not written. htsjdk's indexer gets them in order, as soon as their places in the file are
 * known.
 *
 * <p>Neighbours in one window of the index become one record for the indexer, which would join
 * their places in the file. It counts one record, and the others are added to its count.
 */
public final class PendingIndex {
    /**
     * What the indexer asks of a record, or of several in a window. The record itself may change
     * once it is written.
     */
    static final class Entry {
        final int reference;
        final int start;
        final int end;
        final boolean isUnmapped;
        /** How many records it stands for. */
        int records = 1;
        /** Blocks by number, and places in them. */
        long firstBlock;
        int firstOffset;
        long lastBlock;
        int lastOffset;
        /** Where the first block begins in the file. */
        long address;

        Entry(int reference, int start, int end, boolean isUnmapped) {
            this.reference = reference;
            this.start = start;
            this.end = end;
            this.isUnmapped = isUnmapped;
        }
    }

    /** A record that answers for an entry. */
    static final class IndexedRecord extends SAMRecord {
        private static final long serialVersionUID = 1;

        transient Entry entry;

        IndexedRecord(SAMFileHeader header) {
            super(header);
        }

        @Override
        public Integer getReferenceIndex() {
            return entry.reference;
        }

        @Override
        public int getAlignmentStart() {
            return entry.start;
        }

        @Override
        public int getAlignmentEnd() {
            return entry.end;
        }

        @Override
        public boolean getReadUnmappedFlag() {
            return entry.isUnmapped;
        }
    }

    /** The bits of a position in a window, as in section 5.1.3 of the SAM specification. */
    private static final int WINDOW_BITS = 14;
    /** The longest sequence that the bins of an index can hold. */
    private static final int MAX_LENGTH = 1 << 29;

    private final BAMFileWriter writer;
    private final OutputBlocks blocks;
    private final IndexedRecord record;
    /** The indexer's counts of the records of a sequence. */
    private final BAMIndexMetaData counts;
    private final ArrayDeque<Entry> entries = new ArrayDeque<>();
    /** The entries whose addresses are not known. */
    private final ArrayDeque<Entry> withoutAddress = new ArrayDeque<>();
    private int lastReference = -1;
    private int lastLength;

    private PendingIndex(BAMFileWriter writer, OutputBlocks blocks) {
        this.writer = writer;
        this.blocks = blocks;
        record = new IndexedRecord(writer.getFileHeader());
        counts = (BAMIndexMetaData) Members.get(writer.bamIndexer, "indexBuilder.indexStats");
    }

    /** Takes the place of the method of {@link BAMFileWriter}. */
    public static void writeAlignment(BAMFileWriter writer, SAMRecord record) {
        PendingIndex index = writer.bamIndexer == null ? null : of(writer);
        boolean isWritten = false;
        if (index != null) {
            try {
                isWritten = index.write(record);
            } catch (Exception e) {
                throw failed(writer, record, e);
            }
        }
        if (!isWritten) {
            writer.writeAlignment$original(record);
        }
    }

    /** Returns the index of a file that has one; null if htsjdk's own code deflates its blocks. */
    static PendingIndex of(BAMFileWriter writer) {
        OutputBlocks blocks = OutputBlocks.of(writer.blockCompressedOutputStream);
        if (blocks == null) {
            return null;
        }
        if (blocks.index() == null) {
            blocks.setIndex(new PendingIndex(writer, blocks));
        }
        return blocks.index();
    }

    /**
     * Writes a record, and has it indexed as soon as its place is known.
     *
     * @return false if htsjdk must write it: the first one of a file, and one that the indexer may
     *     refuse. Everything before it is written and indexed then.
     */
    boolean write(SAMRecord written) {
        int reference = written.getReferenceIndex();
        int start = written.getAlignmentStart();
        int end = written.getAlignmentEnd();
        if (!isNext(reference, start, end) || writer.bamRecordCodec == null) {
            blocks.writeAll();
            return false;
        }
        Entry entry = begin(reference, start, end, written.getReadUnmappedFlag());
        writer.bamRecordCodec.encode(written);
        end(entry);
        return true;
    }

    /** Does the same for a record that is held as bytes, from one place in an array to another. */
    boolean write(byte[] bytes, int from, int to, BinaryCodec codec, int reference, int start,
            int end, boolean isUnmapped) {
        if (!isNext(reference, start, end)) {
            return false;
        }
        Entry entry = begin(reference, start, end, isUnmapped);
        codec.writeBytes(bytes, from, to - from);
        end(entry);
        return true;
    }

    /** Returns the entry for a record that is to be written: the last one, or a new one. */
    private Entry begin(int reference, int start, int end, boolean isUnmapped) {
        Entry last = entries.peekLast();
        if (last != null && !isUnmapped && !last.isUnmapped && last.reference == reference
                && isInside(start, end, last.start) && isInside(last.start, last.end, start)
                && last.lastBlock == blocks.number() && last.lastOffset == offset()) {
            // It is not complete until the record is written.
            entries.removeLast();
            last.records++;
            return last;
        }
        Entry entry = new Entry(reference, start, end, isUnmapped);
        entry.firstBlock = blocks.number();
        entry.firstOffset = offset();
        withoutAddress.add(entry);
        setAddresses();
        return entry;
    }

    /** Returns whether an alignment lies in the window of a position. */
    private static boolean isInside(int start, int end, int position) {
        int window = position - 1 >> WINDOW_BITS;
        return start > 0 && start <= end && start - 1 >> WINDOW_BITS == window
                && end - 1 >> WINDOW_BITS == window;
    }

    private void end(Entry entry) {
        entry.lastBlock = blocks.number();
        entry.lastOffset = offset();
        entries.add(entry);
        index();
    }

    /** Returns whether the indexer takes this record for sure after those before. */
    private boolean isNext(int reference, int start, int end) {
        if (reference < 0) {
            return start == 0;
        }
        if (reference < lastReference) {
            return false;
        }
        if (reference > lastReference) {
            lastReference = reference;
            lastLength = writer.getFileHeader().getSequence(lastReference).getSequenceLength();
        }
        return start >= 0 && start <= lastLength && end <= lastLength && lastLength <= MAX_LENGTH;
    }

    private int offset() {
        return writer.blockCompressedOutputStream.numUncompressedBytes;
    }

    /** Takes note of a block that was written: the address of the next one is known now. */
    void hasWritten() {
        setAddresses();
        index();
    }

    private void setAddresses() {
        while (!withoutAddress.isEmpty()
                && withoutAddress.peek().firstBlock == blocks.written()) {
            withoutAddress.poll().address = blocks.address();
        }
    }

    private void index() {
        while (!entries.isEmpty() && entries.peek().lastBlock == blocks.written()) {
            Entry entry = entries.poll();
            record.entry = entry;
            record.setFileSource(new SAMFileSource(null, new BAMFileSpan(new Chunk(
                    pointer(entry.address, entry.firstOffset),
                    pointer(blocks.address(), entry.lastOffset)))));
            writer.bamIndexer.processAlignment(record);
            counts.alignedRecords += entry.records - 1;
        }
    }

    /** Returns a virtual file offset. */
    private static long pointer(long address, int offset) {
        return address << 16 | offset;
    }

    /** Gives up the index, as htsjdk does, and returns its exception. */
    static SAMException failed(BAMFileWriter writer, SAMRecord record, Exception cause) {
        PendingIndex index = of(writer);
        if (index != null) {
            index.entries.clear();
            index.withoutAddress.clear();
        }
        writer.bamIndexer = null;
        return new SAMException("Exception when processing alignment for BAM index " + record,
                cause);
    }
}
