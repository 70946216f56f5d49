package org.broadinstitute.hellbender.tools.walkers.mutect;

/** Part of GATK's class. */
public class M2ArgumentCollection {
    public native double getInitialLogOdds();
}
