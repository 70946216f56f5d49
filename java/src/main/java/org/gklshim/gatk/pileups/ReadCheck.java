package org.gklshim.gatk.pileups;

import htsjdk.samtools.CigarOperator;
import htsjdk.samtools.SAMFileHeader;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.broadinstitute.hellbender.utils.locusiterator.AlignmentStateMachine;
import org.broadinstitute.hellbender.utils.read.GATKRead;
import org.broadinstitute.hellbender.utils.read.ReadUtils;
import org.gklshim.gatk.AlignedRead;

/** Refuses the reads that GATK refuses when it makes pileups, with GATK's messages. */
final class ReadCheck {
    private final SAMFileHeader header;
    private final Set<String> samples;
    /** Whether a read group, by its ID, has a sample that the header names. */
    private final Map<String, Boolean> groups = new HashMap<>();

    ReadCheck(SAMFileHeader header) {
        this.header = header;
        samples = ReadUtils.getSamplesFromHeader(header);
    }

    /**
     * Returns the read with its alignment.
     *
     * @throws RuntimeException if GATK refuses the read
     */
    AlignedRead checked(GATKRead read) {
        if (!groups.computeIfAbsent(read.getReadGroup(),
                group -> samples.contains(sample(read)))) {
            // As in GATK.
            throw new IllegalStateException("Offered read with sample name " + sample(read)
                    + " to SamplePartitioner but this sample wasn't provided as one of possible"
                    + " samples at construction");
        }
        AlignedRead aligned = new AlignedRead(read);
        if (aligned.isMalformed() || bases(aligned) != read.getLength()) {
            AlignmentStateMachine machine = new AlignmentStateMachine(read);
            for (CigarOperator operator; (operator = machine.stepForwardOnGenome()) != null;) {
                if (operator != CigarOperator.N) {
                    machine.makePileupElement();
                }
            }
        }
        return aligned;
    }

    private String sample(GATKRead read) {
        return read.getReadGroup() == null ? null : ReadUtils.getSampleName(read, header);
    }

    /** Returns how many bases the alignment has. */
    private static int bases(AlignedRead aligned) {
        int bases = 0;
        for (int k = 0; k < aligned.cigar.size(); k++) {
            if (aligned.cigar.get(k).getOperator().consumesReadBases()) {
                bases += aligned.cigar.get(k).getLength();
            }
        }
        return bases;
    }
}
