package org.gklshim;

import java.util.Locale;

/** What a user sets, as far as it is needed before the native library is there to read it. */
final class Settings {
    private Settings() {}

    /** What has set it: the system property's name, or else the environment variable's. */
    static String source(String name) {
        String property = "gkl.shim." + name;
        return System.getProperty(property, "").isEmpty()
                ? "GKL_SHIM_" + name.toUpperCase(Locale.ROOT)
                : property;
    }

    /** The system property gkl.shim.NAME, or else the environment variable GKL_SHIM_NAME, or "". */
    static String get(String name) {
        try {
            String value = System.getProperty("gkl.shim." + name, "");
            if (value.isEmpty()) {
                value = System.getenv("GKL_SHIM_" + name.toUpperCase(Locale.ROOT));
            }
            return value == null ? "" : value;
        } catch (SecurityException e) {
            return "";
        }
    }
}
