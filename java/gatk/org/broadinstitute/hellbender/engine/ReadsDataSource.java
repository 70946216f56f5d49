package org.broadinstitute.hellbender.engine;

import org.broadinstitute.hellbender.utils.read.GATKRead;

/** Part of GATK's interface. */
public interface ReadsDataSource extends Iterable<GATKRead> {}
