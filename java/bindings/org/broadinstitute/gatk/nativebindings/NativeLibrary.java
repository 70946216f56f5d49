package org.broadinstitute.gatk.nativebindings;

import java.io.File;

/** The interface of all native classes of GATK. */
public interface NativeLibrary {
    boolean load(File tempDir);
}
