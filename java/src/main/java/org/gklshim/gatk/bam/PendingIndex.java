package org.gklshim.gatk.bam;

import htsjdk.samtools.BAMFileSpan;
import htsjdk.samtools.BAMFileWriter;
import htsjdk.samtools.Chunk;
import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMFileSource;
import htsjdk.samtools.SAMRecord;
import java.util.ArrayDeque;

/**
 * The records of a BAM file that its index does not have yet, because the blocks that they end in
 * were not written. htsjdk's indexer gets them in order, as soon as their places in the file are
 * known.
 */
final class PendingIndex {
    /** What the indexer asks of a record. The record itself may change once it is written. */
    private static final class Entry {
        final int reference;
        final int start;
        final int end;
        final boolean isUnmapped;
        /** Blocks by number, and places in them. */
        final long firstBlock;
        final int firstOffset;
        long lastBlock;
        int lastOffset;
        /** Where the first block begins in the file. */
        long address;

        Entry(SAMRecord record, long firstBlock, int firstOffset) {
            reference = record.getReferenceIndex();
            start = record.getAlignmentStart();
            end = record.getAlignmentEnd();
            isUnmapped = record.getReadUnmappedFlag();
            this.firstBlock = firstBlock;
            this.firstOffset = firstOffset;
        }
    }

    /** A record that answers for an entry. */
    private static final class Record extends SAMRecord {
        private static final long serialVersionUID = 1;

        transient Entry entry;

        Record(SAMFileHeader header) {
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
    private final Record record;
    private final ArrayDeque<Entry> entries = new ArrayDeque<>();
    /** The entries whose addresses are not known. */
    private final ArrayDeque<Entry> withoutAddress = new ArrayDeque<>();
    private int lastReference = -1;
    private int lastLength;

    private PendingIndex(BAMFileWriter writer, OutputBlocks blocks) {
        this.writer = writer;
        this.blocks = blocks;
        record = new Record(writer.getFileHeader());
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
        Entry entry = new Entry(written, blocks.number(), offset());
        if (!isNext(entry) || writer.bamRecordCodec == null) {
            blocks.writeAll();
            return false;
        }
        withoutAddress.add(entry);
        setAddresses();
        writer.bamRecordCodec.encode(written);
        entry.lastBlock = blocks.number();
        entry.lastOffset = offset();
        entries.add(entry);
        index();
        return true;
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
