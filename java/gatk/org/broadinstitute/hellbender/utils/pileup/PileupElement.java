package org.broadinstitute.hellbender.utils.pileup;

import htsjdk.samtools.CigarElement;
import org.broadinstitute.hellbender.utils.read.GATKRead;

/** Part of GATK's class. */
public final class PileupElement {
    public PileupElement(GATKRead read, int base, CigarElement element, int elementIndex,
            int offsetInElement) {}

    public native boolean isDeletion();

    public native byte getBase();
}
