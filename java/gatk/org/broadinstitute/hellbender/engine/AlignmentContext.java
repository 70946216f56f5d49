package org.broadinstitute.hellbender.engine;

import htsjdk.samtools.util.Locatable;
import org.broadinstitute.hellbender.utils.pileup.ReadPileup;

/** Part of GATK's class. */
public final class AlignmentContext {
    public AlignmentContext(Locatable location, ReadPileup pileup) {}
}
