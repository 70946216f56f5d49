package org.broadinstitute.hellbender.utils.smithwaterman;

import htsjdk.samtools.Cigar;

/** Part of GATK's interface. */
public interface SmithWatermanAlignment {
    Cigar getCigar();
}
