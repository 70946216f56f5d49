package org.broadinstitute.hellbender.engine;

import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.util.Locatable;
import java.util.List;
import org.broadinstitute.hellbender.utils.SimpleInterval;
import org.broadinstitute.hellbender.utils.read.GATKRead;

/** Part of GATK's class. */
public final class AssemblyRegion implements Locatable {
    public AssemblyRegion(SimpleInterval span, SimpleInterval paddedSpan, boolean isActive,
            SAMFileHeader header) {}

    public native boolean isActive();

    public native SimpleInterval getSpan();

    public native SimpleInterval getPaddedSpan();

    public native List<GATKRead> getReads();

    public native void add(GATKRead read);

    public native int size();
}
