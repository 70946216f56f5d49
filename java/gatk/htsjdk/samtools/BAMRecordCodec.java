package htsjdk.samtools;

import java.io.InputStream;

/** Part of htsjdk's class. */
public class BAMRecordCodec {
    public BAMRecordCodec(SAMFileHeader header) {}

    public native void encode(SAMRecord record);

    public native void setInputStream(InputStream stream);

    public native void setInputStream(InputStream stream, String name);

    public native SAMRecord decode();
}
