package org.broadinstitute.hellbender.utils.smithwaterman;

import org.broadinstitute.gatk.nativebindings.smithwaterman.SWOverhangStrategy;
import org.broadinstitute.gatk.nativebindings.smithwaterman.SWParameters;

/** Part of GATK's interface. */
public interface SmithWatermanAligner {
    SmithWatermanAlignment align(byte[] reference, byte[] alternate, SWParameters parameters,
            SWOverhangStrategy overhangStrategy);
}
