package org.broadinstitute.hellbender.cmdline;

import htsjdk.samtools.util.Log;

/** Part of GATK's class. */
public abstract class CommandLineProgram {
    public Log.LogLevel VERBOSITY;
}
