package htsjdk.samtools;

import htsjdk.samtools.util.BlockCompressedOutputStream;

/** Part of htsjdk's class, with fields that the agent opens, and a method that it adds. */
public class BAMFileWriter extends SAMFileWriterImpl {
    public BAMRecordCodec bamRecordCodec;
    public BlockCompressedOutputStream blockCompressedOutputStream;
    public BAMIndexer bamIndexer;

    public native void writeAlignment$original(SAMRecord record);
}
