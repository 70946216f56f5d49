package org.broadinstitute.hellbender.engine;

import org.broadinstitute.hellbender.cmdline.CommandLineProgram;

/** Part of GATK's class. */
public final class FeatureManager {
    public FeatureManager(CommandLineProgram tool, int lookahead, int cloudPrefetchBuffer,
            int cloudIndexPrefetchBuffer) {}

    public native void close();
}
