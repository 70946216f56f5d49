package htsjdk.samtools;

import java.io.File;

/** Part of htsjdk's class. */
public class SAMFileWriterFactory {
    public native SAMFileWriterFactory setUseAsyncIo(boolean isAsynchronous);

    public native SAMFileWriter makeWriter(SAMFileHeader header, boolean presorted, File file,
            File reference);
}
