package org.broadinstitute.hellbender.utils.recalibration;

import htsjdk.samtools.util.Locatable;
import org.broadinstitute.hellbender.engine.ReferenceDataSource;
import org.broadinstitute.hellbender.utils.read.GATKRead;

/** Part of GATK's class. */
public final class BaseRecalibrationEngine {
    public native void processRead(GATKRead read, ReferenceDataSource reference,
            Iterable<? extends Locatable> knownSites);

    public native RecalibrationTables getRecalibrationTables();
}
