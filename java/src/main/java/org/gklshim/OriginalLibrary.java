package org.gklshim;

/** A library of GATK, or GATK itself, with classes that we replace. */
public enum OriginalLibrary {
    INTEL_GKL("Intel GKL", "com.intel.gkl."),
    FGKL("fgkl", "com.fulcrumgenomics.fgkl."),
    GATK_JAVA("GATK's Java", "org.broadinstitute.hellbender.");

    /** The name of the library in the log. */
    final String title;
    /** The prefix of the names of all its classes. */
    final String packages;

    OriginalLibrary(String title, String packages) {
        this.title = title;
        this.packages = packages;
    }
}
