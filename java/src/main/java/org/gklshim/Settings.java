package org.gklshim;

import java.util.Locale;

/** The settings that Java needs itself. The native library reads all (kernels/jni/settings.cpp). */
final class Settings {
    private Settings() {}

    /** The name of the system property or environment variable that {@link #get} reads. */
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
