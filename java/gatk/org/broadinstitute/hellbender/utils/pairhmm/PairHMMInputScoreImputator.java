package org.broadinstitute.hellbender.utils.pairhmm;

import org.broadinstitute.hellbender.utils.read.GATKRead;

/** Part of GATK's interface. */
public interface PairHMMInputScoreImputator {
    PairHMMInputScoreImputation impute(GATKRead read);
}
