package org.broadinstitute.hellbender.cmdline;

import htsjdk.samtools.util.Log;
import org.broadinstitute.barclay.argparser.CommandLineParser;

/** Part of GATK's class. */
public abstract class CommandLineProgram {
    public Log.LogLevel VERBOSITY;

    public final native CommandLineParser getCommandLineParser();
}
