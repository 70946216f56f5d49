package org.broadinstitute.hellbender.utils;

import htsjdk.samtools.util.Locatable;

/** Part of GATK's class. */
public final class SimpleInterval implements Locatable {
    public boolean overlapsWithMargin(Locatable other, int margin) {
        throw new UnsupportedOperationException();
    }
}
