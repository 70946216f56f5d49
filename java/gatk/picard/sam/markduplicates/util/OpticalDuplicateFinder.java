package picard.sam.markduplicates.util;

import picard.sam.util.PhysicalLocation;

/** Part of Picard's class. */
public class OpticalDuplicateFinder {
    public static final String DEFAULT_READ_NAME_REGEX = null;

    public native boolean addLocationInformation(String readName, PhysicalLocation location);
}
