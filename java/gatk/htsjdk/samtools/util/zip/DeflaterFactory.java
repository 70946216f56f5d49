package htsjdk.samtools.util.zip;

import java.util.zip.Deflater;

/** Part of htsjdk's class, with a method that the agent adds. */
public class DeflaterFactory {
    public native Deflater makeDeflater$original(int level, boolean gzipCompatible);
}
