package org.broadinstitute.hellbender.engine;

import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.util.Locatable;
import java.util.Collection;
import java.util.List;
import org.broadinstitute.hellbender.utils.SimpleInterval;
import org.broadinstitute.hellbender.utils.read.GATKRead;

/** Part of GATK's class. */
public final class AssemblyRegion implements Locatable {
    public AssemblyRegion(SimpleInterval span, SimpleInterval paddedSpan, boolean isActive,
            SAMFileHeader header) {}

    public AssemblyRegion(SimpleInterval span, boolean isActive, int padding,
            SAMFileHeader header) {}

    @Override
    public native String getContig();

    @Override
    public native int getStart();

    @Override
    public native int getEnd();

    public native boolean isActive();

    public native SimpleInterval getSpan();

    public native SimpleInterval getPaddedSpan();

    public native List<GATKRead> getReads();

    public native void add(GATKRead read);

    public native void addAll(Collection<GATKRead> reads);

    public native SAMFileHeader getHeader();

    public native int size();
}
