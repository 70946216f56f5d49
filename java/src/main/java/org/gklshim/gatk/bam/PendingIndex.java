package org.gklshim.gatk.bam;

import htsjdk.samtools.BAMFileSpan;
import htsjdk.samtools.BAMFileWriter;
import htsjdk.samtools.Chunk;
import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMFileSource;
import htsjdk.samtools.SAMRecord;
import htsjdk.samtools.util.BinaryCodec;
import java.util.ArrayDeque;

/**
 * The records of a BAM file that its index does not have yet, because the blocks that they end in
 * were not written. htsjdk's indexer gets them in order, as soon as their places in the file are
 * known.
 */
final class PendingIndex {
    /** What the indexer asks of a record. The record itself may change once it is written. */
    static final class Entry {
        final int reference;
        final int start;
        final int end;
        final boolean isUnmapped;
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

    /** The longest sequence that the bins of an index can hold. */
    private static final int MAX_LENGTH = 1 << 29;

    private final BAMFileWriter writer;
    private final OutputBlocks blocks;
    private final IndexedRecord record;
    private final ArrayDeque<Entry> entries = new ArrayDeque<>();
    /** The entries whose addresses are not known. */
    private final ArrayDeque<Entry> withoutAddress = new ArrayDeque<>();
    private int lastReference = -1;
    private int lastLength;

    private PendingIndex(BAMFileWriter writer, OutputBlocks blocks) {
        this.writer = writer;
        this.blocks = blocks;
        record = new IndexedRecord(writer.getFileHeader());
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
        Entry entry = new Entry(written.getReferenceIndex(), written.getAlignmentStart(),
                written.getAlignmentEnd(), written.getReadUnmappedFlag());
        if (!isNext(entry) || writer.bamRecordCodec == null) {
            blocks.writeAll();
            return false;
        }
        begin(entry);
        writer.bamRecordCodec.encode(written);
        end(entry);
        return true;
    }

    /** Does the same for a record that is held as bytes, from one place in an array to another. */
    boolean write(byte[] bytes, int from, int to, BinaryCodec codec, Entry entry) {
        if (!isNext(entry)) {
            return false;
        }
        begin(entry);
        codec.writeBytes(bytes, from, to - from);
        end(entry);
        return true;
    }

    private void begin(Entry entry) {
        entry.firstBlock = blocks.number();
        entry.firstOffset = offset();
        withoutAddress.add(entry);
        setAddresses();
    }

    private void end(Entry entry) {
        entry.lastBlock = blocks.number();
        entry.lastOffset = offset();
        entries.add(entry);
        index();
    }

    /** Returns whether the indexer takes this one for sure after those before. */
    private boolean isNext(Entry entry) {
        if (entry.reference < 0) {
            return entry.start == 0;
        }
        if (entry.reference < lastReference) {
            return false;
        }
        if (entry.reference > lastReference) {
            lastReference = entry.reference;
            lastLength = writer.getFileHeader().getSequence(lastReference).getSequenceLength();
        }
        return entry.start >= 0 && entry.start <= lastLength && entry.end <= lastLength
                && lastLength <= MAX_LENGTH;
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
        }
    }

    /** Returns a virtual file offset. */
    private static long pointer(long address, int offset) {
        return address << 16 | offset;
    }

    /** Forgets all records, because there will be no index. */
    void clear() {
        entries.clear();
        withoutAddress.clear();
    }
}
