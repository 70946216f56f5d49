package org.gklshim;

/** A library of GATK with classes that we replace. */
public enum OriginalLibrary {
    INTEL_GKL("Intel GKL", "com.intel.gkl.");

    /** The name of the library in the log. */
    final String title;
    /** The prefix of the names of all its classes. */
    final String packages;

    OriginalLibrary(String title, String packages) {
        this.title = title;
        this.packages = packages;
    }
}
