package org.broadinstitute.hellbender.cmdline;

/** Part of GATK's class. */
public abstract class CommandLineProgram {}
