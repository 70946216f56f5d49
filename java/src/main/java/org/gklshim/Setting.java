package org.gklshim;

/**
 * A setting that Java reads: a system property or, if it is empty, an environment variable.
 * kernels/jni/settings/settings.cpp reads those of the native library.
 */
public enum Setting {
    ANNOTATIONS("gkl.shim.annotations", "GKL_SHIM_ANNOTATIONS"),
    ASSEMBLY("gkl.shim.assembly", "GKL_SHIM_ASSEMBLY"),
    BACKEND("gkl.shim.backend", "GKL_SHIM_BACKEND"),
    CONFIDENCE("gkl.shim.confidence", "GKL_SHIM_CONFIDENCE"),
    DUPLICATES("gkl.shim.duplicates", "GKL_SHIM_DUPLICATES"),
    LIBRARY("gkl.shim.library", "GKL_SHIM_LIBRARY"),
    LIKELIHOODS("gkl.shim.likelihoods", "GKL_SHIM_LIKELIHOODS"),
    LOG("gkl.shim.log", "GKL_SHIM_LOG"),
    PAIRHMM("gkl.shim.pairhmm", "GKL_SHIM_PAIRHMM"),
    PDHMM("gkl.shim.pdhmm", "GKL_SHIM_PDHMM"),
    PILEUPS("gkl.shim.pileups", "GKL_SHIM_PILEUPS"),
    READS("gkl.shim.reads", "GKL_SHIM_READS"),
    RECALIBRATION("gkl.shim.recalibration", "GKL_SHIM_RECALIBRATION"),
    REGION_THREADS("gkl.shim.region_threads", "GKL_SHIM_REGION_THREADS"),
    SMITHWATERMAN("gkl.shim.smithwaterman", "GKL_SHIM_SMITHWATERMAN"),
    THREADS("gkl.shim.threads", "GKL_SHIM_THREADS"),
    TOOLS("gkl.shim.tools", "GKL_SHIM_TOOLS"),
    WALK("gkl.shim.walk", "GKL_SHIM_WALK");

    private final String property;
    private final String variable;

    Setting(String property, String variable) {
        this.property = property;
        this.variable = variable;
    }

    /** Returns the name of the property or variable that {@link #value} reads. */
    public String source() {
        return System.getProperty(property, "").isEmpty() ? variable : property;
    }

    /** Returns whether the value is "off". */
    boolean isOff() {
        return value().equals("off");
    }

    /** Warns of a value that is neither on nor off. */
    void warnUnlessSwitch() {
        String value = value();
        if (!value.isEmpty() && !value.equals("on") && !value.equals("off")) {
            boolean isNumber = value.equals("auto") || value.matches("[0-9]+");
            Log.warnOnce(source() + "=" + value + " is ignored: it must be on or off"
                    + (isNumber ? "; GKL_SHIM_THREADS sets the number of threads" : ""));
        }
    }

    /** Returns the value; "" if the setting is not made. */
    public String value() {
        try {
            String value = System.getProperty(property, "");
            if (value.isEmpty()) {
                value = System.getenv(variable);
            }
            return value == null ? "" : value;
        } catch (SecurityException e) {
            return "";
        }
    }
}
