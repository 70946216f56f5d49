package org.gklshim;

/** A library of GATK's that has classes which we replace. */
public enum OriginalLibrary {
    INTEL_GKL("Intel GKL", "com.intel.gkl.");

    /** Its name in the log. */
    final String title;
    /** What the names of all its classes start with. */
    final String packages;

    OriginalLibrary(String title, String packages) {
        this.title = title;
        this.packages = packages;
    }
}
