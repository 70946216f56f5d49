package org.broadinstitute.hellbender.utils.read;

/** Part of GATK's interface. */
public interface GATKRead {
    byte[] getBases();

    byte[] getBaseQualities();

    byte[] getBasesNoCopy();

    byte[] getBaseQualitiesNoCopy();

    Object getTransientAttribute(Object key);

    boolean hasAttribute(String name);

    GATKRead copy();
}
