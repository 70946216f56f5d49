package org.broadinstitute.hellbender.utils.read;

import htsjdk.samtools.CigarElement;
import htsjdk.samtools.util.Locatable;
import java.util.List;

/** Part of GATK's interface. */
public interface GATKRead extends Locatable {
    String getName();

    int getLength();

    byte[] getBases();

    default byte[] getBasesNoCopy() {
        throw new UnsupportedOperationException();
    }

    byte[] getBaseQualities();

    default byte[] getBaseQualitiesNoCopy() {
        throw new UnsupportedOperationException();
    }

    List<CigarElement> getCigarElements();

    String getReadGroup();

    int getAdaptorBoundary();

    int getFragmentLength();

    default int getMappingQuality() {
        throw new UnsupportedOperationException();
    }

    boolean isReverseStrand();

    Object getTransientAttribute(Object key);

    boolean hasAttribute(String name);

    default void setAttribute(String name, String value) {
        throw new UnsupportedOperationException();
    }

    default void clearAttribute(String name) {
        throw new UnsupportedOperationException();
    }

    default void setBaseQualities(byte[] qualities) {
        throw new UnsupportedOperationException();
    }

    GATKRead copy();
}
