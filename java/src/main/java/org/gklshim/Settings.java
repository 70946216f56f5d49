package org.gklshim;

import java.util.Locale;

/** The settings that Java needs. kernels/jni/settings.cpp reads all of them. */
public final class Settings {
    private Settings() {}

    /** Returns the system property or environment variable that {@link #get} reads. */
    public static String source(String name) {
        String property = "gkl.shim." + name;
        return System.getProperty(property, "").isEmpty()
                ? "GKL_SHIM_" + name.toUpperCase(Locale.ROOT)
                : property;
    }

    /** Returns the property gkl.shim.NAME, else the environment variable GKL_SHIM_NAME, else "". */
    public static String get(String name) {
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
