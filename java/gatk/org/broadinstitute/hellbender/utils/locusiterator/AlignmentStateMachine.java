package org.broadinstitute.hellbender.utils.locusiterator;

import htsjdk.samtools.CigarOperator;
import org.broadinstitute.hellbender.utils.pileup.PileupElement;
import org.broadinstitute.hellbender.utils.read.GATKRead;

/** Part of GATK's class. */
public final class AlignmentStateMachine {
    public AlignmentStateMachine(GATKRead read) {}

    public native CigarOperator stepForwardOnGenome();

    public native PileupElement makePileupElement();
}
