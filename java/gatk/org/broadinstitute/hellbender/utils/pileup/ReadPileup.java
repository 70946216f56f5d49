package org.broadinstitute.hellbender.utils.pileup;

import htsjdk.samtools.util.Locatable;
import java.util.List;

/** Part of GATK's class. */
public class ReadPileup {
    public ReadPileup(Locatable location, List<PileupElement> elements) {}
}
