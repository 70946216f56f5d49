package htsjdk.samtools;

import java.util.List;

/** Part of htsjdk's class. */
public class Cigar {
    public native List<CigarElement> getCigarElements();

    public native int getReferenceLength();

    public native int getReadLength();
}
