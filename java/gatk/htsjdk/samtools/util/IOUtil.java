package htsjdk.samtools.util;

import java.io.File;

/** Part of htsjdk's class. */
public class IOUtil {
    public static native void assertFileIsReadable(File file);

    public static native void assertFileIsWritable(File file);
}
