package org.gklshim;

import java.util.Locale;

/**
 * A setting that Java reads: a system property such as gkl.shim.backend or, if that is empty, an
 * environment variable such as GKL_SHIM_BACKEND. A {@link GatkPart} has its own.
 * kernels/jni/settings/settings.cpp reads those of the native library.
 */
public final class Setting {
    public static final Setting BACKEND = new Setting("backend", Values.WORDS);
    public static final Setting LIBRARY = new Setting("library", Values.WORDS);
    public static final Setting LOG = new Setting("log", Values.WORDS);
    public static final Setting PAIRHMM = ofSwitch("pairhmm");
    public static final Setting PDHMM = ofSwitch("pdhmm");
    public static final Setting SMITHWATERMAN = ofSwitch("smithwaterman");
    public static final Setting THREADS = new Setting("threads", Values.WORDS);

    private enum Values { SWITCH, WORDS }

    /** The end of the property and of the variable, in small letters. */
    public final String name;
    private final Values values;
    private final String property;
    private final String variable;

    private Setting(String name, Values values) {
        this.name = name;
        this.values = values;
        property = "gkl.shim." + name;
        variable = "GKL_SHIM_" + name.toUpperCase(Locale.ROOT);
    }

    /** Returns a setting that is on or off. */
    public static Setting ofSwitch(String name) {
        return new Setting(name, Values.SWITCH);
    }

    /** Returns the name of the property or variable that {@link #value} reads. */
    public String source() {
        return System.getProperty(property, "").isEmpty() ? variable : property;
    }

    /** Returns whether the value is "off". */
    boolean isOff() {
        return value().equals("off");
    }

    /** Warns of a value that is neither on nor off, if it must be one of these. */
    void warnUnlessSwitch() {
        String value = value();
        if (values == Values.SWITCH && !value.isEmpty() && !value.equals("on")
                && !value.equals("off")) {
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
