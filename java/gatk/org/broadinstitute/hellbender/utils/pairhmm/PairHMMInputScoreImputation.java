package org.broadinstitute.hellbender.utils.pairhmm;

/** Part of GATK's interface. */
public interface PairHMMInputScoreImputation {
    byte[] delOpenPenalties();

    byte[] insOpenPenalties();

    byte[] gapContinuationPenalties();
}
