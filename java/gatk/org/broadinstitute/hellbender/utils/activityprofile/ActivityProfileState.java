package org.broadinstitute.hellbender.utils.activityprofile;

/** Part of GATK's class. */
public final class ActivityProfileState {
    /** Part of GATK's class. */
    public enum Type {
        HIGH_QUALITY_SOFT_CLIPS
    }

    public native double isActiveProb();

    public native Type getResultState();

    public native Number getResultValue();
}
