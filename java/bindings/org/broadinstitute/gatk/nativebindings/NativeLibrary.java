package org.broadinstitute.gatk.nativebindings;

import java.io.File;

/** What every native class of GATK offers. */
public interface NativeLibrary {
    boolean load(File tempDir);
}
