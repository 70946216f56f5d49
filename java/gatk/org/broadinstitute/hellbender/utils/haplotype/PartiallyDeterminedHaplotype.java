package org.broadinstitute.hellbender.utils.haplotype;

import org.broadinstitute.hellbender.utils.SimpleInterval;

/** Part of GATK's class. */
public final class PartiallyDeterminedHaplotype {
    public byte[] getBases() {
        throw new UnsupportedOperationException();
    }

    public byte[] getAlternateBases() {
        throw new UnsupportedOperationException();
    }

    public SimpleInterval getMaximumExtentOfSiteDeterminedAlleles() {
        throw new UnsupportedOperationException();
    }
}
