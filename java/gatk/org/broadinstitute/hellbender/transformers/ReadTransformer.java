package org.broadinstitute.hellbender.transformers;

import org.broadinstitute.hellbender.utils.read.GATKRead;

/** Part of GATK's interface. */
public interface ReadTransformer {
    GATKRead apply(GATKRead read);
}
