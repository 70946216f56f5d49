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

    /** The most threads of a tool if the user says nothing, and there are as many processors. */
    public static final int USUAL_THREADS = 16;
    private static final int MAX_THREADS = 1024;

    private enum Values { SWITCH, THREADS, WORDS }

    private final String name;
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

    /** Returns a setting that is a number of threads, or off. */
    public static Setting ofThreads(String name) {
        return new Setting(name, Values.THREADS);
    }

    /** Returns the name and the kind of values, such as "walk switch". */
    @Override
    public String toString() {
        return name + " " + values.name().toLowerCase(Locale.ROOT);
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
