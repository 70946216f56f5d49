package org.gklshim;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Writes lines to standard error, in the same form as kernels/jni/settings/log.cpp. */
public final class Log {
    /** The warnings that are given once. */
    private static final Set<String> GIVEN = ConcurrentHashMap.newKeySet();

    private Log() {}

    public static void info(String text) {
        if (!Setting.LOG.value().equals("quiet")) {
            line(text);
        }
    }

    public static void debug(String text) {
        if (Setting.LOG.value().equals("debug")) {
            line(text);
        }
    }

    public static void warning(String text) {
        line("warning: " + text);
    }

    /** Gives a warning once, such as one of a setting that several parts read. */
    public static void warnOnce(String text) {
        if (GIVEN.add(text)) {
            warning(text);
        }
    }

    /**
     * Returns the one sentence for an original that is used instead of our code.
     * gkl_shim/gatk/fallbacks.py reads it.
     *
     * @param title the part or the kernel
     * @param original what is used, such as "GATK's own code"
     */
    static String fallback(String title, String original, String reason) {
        return title + ": " + original + " is used: " + reason;
    }

    private static void line(String text) {
        String version = Log.class.getPackage().getImplementationVersion();
        System.err.println("[gkl-shim" + (version == null ? "" : " " + version) + "] "
                + printable(text.replaceAll("\\s*[\\r\\n]+\\s*", " ")));
    }

    /** Escapes control characters. A setting or a file's name could send commands to a terminal. */
    private static String printable(String text) {
        StringBuilder result = new StringBuilder();
        for (char c : text.toCharArray()) {
            if (Character.isISOControl(c)) {
                result.append(String.format("\\x%02x", (int) c));
            } else {
                result.append(c);
            }
        }
        return result.toString();
    }
}
