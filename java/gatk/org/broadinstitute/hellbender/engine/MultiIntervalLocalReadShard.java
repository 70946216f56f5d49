package org.broadinstitute.hellbender.engine;

import org.broadinstitute.hellbender.utils.read.GATKRead;

/** Part of GATK's class. */
public final class MultiIntervalLocalReadShard implements MultiIntervalShard<GATKRead> {}
