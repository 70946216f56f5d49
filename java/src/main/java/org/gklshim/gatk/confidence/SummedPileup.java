package org.gklshim.gatk.confidence;

import java.util.Collections;
import org.broadinstitute.hellbender.utils.SimpleInterval;
import org.broadinstitute.hellbender.utils.pileup.ReadPileup;

/** A position whose reads are summed up, for methods of GATK that take a pileup. */
final class SummedPileup extends ReadPileup {
    final ConfidenceSums sums;
    /** The number of the position among those of the sums. */
    final int index;

    SummedPileup(SimpleInterval location, ConfidenceSums sums, int index) {
        super(location, Collections.emptyList());
        this.sums = sums;
        this.index = index;
    }

    /** Returns how many reads show that there is no indel, as far as GATK counts them. */
    int readsWithoutIndel() {
        return sums.readsWithoutIndel(index);
    }
}
