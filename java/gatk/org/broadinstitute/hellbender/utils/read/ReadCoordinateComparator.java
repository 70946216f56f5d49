package org.broadinstitute.hellbender.utils.read;

import htsjdk.samtools.SAMFileHeader;
import java.util.Comparator;

/** Part of GATK's class. */
public final class ReadCoordinateComparator implements Comparator<GATKRead> {
    public ReadCoordinateComparator(SAMFileHeader header) {}

    @Override
    public native int compare(GATKRead first, GATKRead second);
}
