package org.gklshim;

import java.util.Locale;

/**
 * A setting that Java reads: a system property such as gkl.shim.backend or, if that is empty, an
 * environment variable such as GKL_SHIM_BACKEND. A {@link GatkPart} has its own.
 * kernels/jni/settings/settings.cpp reads those of the native library.
 */
public final class Setting {
    public static final Setting BACKEND = new Setting("backend");
    public static final Setting LIBRARY = new Setting("library");
    public static final Setting LOG = new Setting("log");
    public static final Setting PAIRHMM = new Setting("pairhmm");
    public static final Setting PDHMM = new Setting("pdhmm");
    public static final Setting SMITHWATERMAN = new Setting("smithwaterman");
    public static final Setting THREADS = new Setting("threads");

    public final String name;
    private final String property;
    private final String variable;

    public Setting(String name) {
        this.name = name;
        property = "gkl.shim." + name;
        variable = "GKL_SHIM_" + name.toUpperCase(Locale.ROOT);
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
