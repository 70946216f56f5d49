package org.gklshim.gatk;

import htsjdk.samtools.CigarOperator;
import org.broadinstitute.hellbender.utils.locusiterator.AlignmentStateMachine;

/** What GATK throws at a read when it makes pileups. */
public final class Refusal {
    /** GATK throws the exception when it makes the pileup of this position. */
    public final int position;
    public final RuntimeException exception;

    private Refusal(int position, RuntimeException exception) {
        this.position = position;
        this.exception = exception;
    }

    /** Returns why GATK refuses a read, or null if it does not. */
    public static Refusal of(AlignedRead read) {
        return read.isMalformed() || !read.hasAllBases() ? search(read) : null;
    }

    private static Refusal search(AlignedRead read) {
        AlignmentStateMachine machine = new AlignmentStateMachine(read.read);
        int position = read.start - 1;
        try {
            for (CigarOperator operator; (operator = machine.stepForwardOnGenome()) != null;) {
                position++;
                if (operator != CigarOperator.N && read.isInPileup(position)) {
                    machine.makePileupElement();
                }
            }
            return null;
        } catch (RuntimeException e) {
            return new Refusal(Math.max(read.start, position), e);
        }
    }
}
