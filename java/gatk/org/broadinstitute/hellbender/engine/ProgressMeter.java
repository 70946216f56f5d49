package org.broadinstitute.hellbender.engine;

import htsjdk.samtools.util.Locatable;

/** Part of GATK's class. */
public final class ProgressMeter {
    public native void update(Locatable place);
}
