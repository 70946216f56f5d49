package htsjdk.samtools.util.zip;

import java.util.zip.Inflater;

/** Part of htsjdk's class, with a method that the agent adds. */
public class InflaterFactory {
    public native Inflater makeInflater(boolean gzipCompatible);

    public native Inflater makeInflater$original(boolean gzipCompatible);
}
