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
    TOOLS("gkl.shim.tools", "GKL_SHIM_TOOLS"),
    WALK("gkl.shim.walk", "GKL_SHIM_WALK");

    /** The most threads of a tool if the user says nothing, and there are as many processors. */
    public static final int USUAL_THREADS = 16;
    private static final int MAX_THREADS = 1024;

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

    /** Warns of a value that is neither on nor off, unless it is a number of threads. */
    void warnUnlessSwitch() {
        if (this == READS || this == RECALIBRATION || this == REGION_THREADS) {
            return;
        }
        String value = value();
        if (!value.isEmpty() && !value.equals("on") && !value.equals("off")) {
            Log.warning(source() + "=" + value + " is ignored: it must be on or off");
        }
    }

    /**
     * Returns the number of threads that the value says, and warns of a wrong one.
     *
     * @param usual the number if there is no value, unless there are fewer processors
     */
    public int threads(int usual) {
        int processors = Runtime.getRuntime().availableProcessors();
        String text = value();
        if (text.equals("off")) {
            return 1;
        }
        if (text.equals("auto")) {
            return processors;
        }
        if (!text.isEmpty()) {
            try {
                int threads = Integer.parseInt(text);
                if (threads >= 1 && threads <= MAX_THREADS) {
                    return threads;
                }
            } catch (NumberFormatException e) {
                // Reported below.
            }
            Log.warning(source() + "=" + text + " is ignored: it must be off, auto, or a number of "
                    + "threads, at most " + MAX_THREADS);
        }
        return Math.max(1, Math.min(processors, usual));
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
