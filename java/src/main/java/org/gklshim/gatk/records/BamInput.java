package org.gklshim.gatk.records;

import htsjdk.samtools.DefaultSAMRecordFactory;
import htsjdk.samtools.QueryInterval;
import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SamReader;
import htsjdk.samtools.ValidationStringency;
import htsjdk.samtools.util.BinaryCodec;
import htsjdk.samtools.util.BlockCompressedInputStream;
import java.util.Map;
import org.broadinstitute.hellbender.engine.ReadsDataSource;
import org.gklshim.gatk.Members;

/** The only input of a GATK tool, a BAM file, of which records are read as bytes. */
public final class BamInput {
    private final SAMFileHeader header;
    /** htsjdk's reader of the file. */
    private final Object reader;
    private final BlockCompressedInputStream file;

    private BamInput(SAMFileHeader header, Object reader, BlockCompressedInputStream file) {
        this.header = header;
        this.reader = reader;
        this.file = file;
    }

    /** Returns the input, or null if it is of another kind, or read in another way. */
    public static BamInput of(ReadsDataSource source) {
        Map<?, ?> readers = (Map<?, ?>) Members.get(source, "readers", null);
        if (readers == null || readers.size() != 1
                || (boolean) Members.get(source, "traverseUnmapped")) {
            return null;
        }
        SamReader adapter = (SamReader) readers.keySet().iterator().next();
        Object reader = Members.get(adapter, "p", null);
        if (reader == null || !reader.getClass().getSimpleName().equals("BAMFileReader")) {
            return null;
        }
        Object file = Members.get(reader, "mCompressedInputStream");
        // Another class reads in threads of its own.
        boolean isUsual = file.getClass() == BlockCompressedInputStream.class
                && (boolean) Members.get(reader, "mIsSeekable")
                && !(boolean) Members.get(reader, "eagerDecode")
                && Members.get(reader, "mReader") == null
                && Members.get(reader, "mCurrentIterator") == null
                && Members.get(reader, "mValidationStringency") == ValidationStringency.SILENT
                && Members.get(reader, "samRecordFactory").getClass()
                        == DefaultSAMRecordFactory.class;
        return isUsual ? new BamInput(adapter.getFileHeader(), reader,
                (BlockCompressedInputStream) file) : null;
    }

    /** Returns why GATK has to read an input, or ask its filters, for the log; null if not. */
    public static String reason(BamInput input, RecordFilters filters) {
        if (input == null) {
            return "input that is not one BAM file, or is not read in the usual way";
        }
        return filters.unknown();
    }

    public SAMFileHeader header() {
        return header;
    }

    /** Returns whether a sequence is too long for the bins of records. */
    boolean hasLongSequence() {
        return header.getSequenceDictionary().getSequences().stream()
                .anyMatch(sequence -> sequence.getSequenceLength() > BamRecord.MAX_SEQUENCE);
    }

    /** Returns the records that a source's own iterator returns: those of this input. */
    public BamReader records(ReadsDataSource source) {
        if (Members.get(source, "intervalsForTraversal") == null) {
            return parts(null, (long) Members.get(reader, "mFirstRecordPointer"), Long.MAX_VALUE);
        }
        // It looks the intervals up in the file's index.
        Object found = Members.get(source.iterator(), "samIterator");
        Object ofFile = Members.get(found, "currentIterator");
        // GATK lets go of htsjdk's iterator at once if no record overlaps an interval.
        long[] parts = ofFile == null ? new long[0] : (long[]) Members.get(ofFile,
                "wrappedIterator.wrappedIterator.mFilePointers");
        return parts((QueryInterval[]) Members.get(found, "queryIntervals"), parts);
    }

    /** Returns the records of parts of the file: virtual file offsets of their starts and ends. */
    private BamReader parts(QueryInterval[] intervals, long... parts) {
        BinaryCodec codec = (BinaryCodec) Members.get(reader, "mStream");
        return new BamReader(file, header, parts, codec.getInputStream(),
                codec.getInputFileName(), intervals, new Buffers(BamReader.BATCH_SIZE));
    }
}
