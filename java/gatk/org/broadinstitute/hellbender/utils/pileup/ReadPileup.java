package org.broadinstitute.hellbender.utils.pileup;

import htsjdk.samtools.util.Locatable;
import java.util.List;
import java.util.function.Predicate;

/** Part of GATK's class. */
public class ReadPileup {
    public ReadPileup(Locatable location, List<PileupElement> elements) {}

    public native int[] getBaseCounts();

    public native ReadPileup makeFilteredPileup(Predicate<PileupElement> filter);
}
