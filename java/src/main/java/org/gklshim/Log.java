package org.gklshim;

/** Writes lines to standard error, in the same form as the native library (kernels/jni/log.cpp). */
final class Log {
    private Log() {}

    static void info(String text) {
        if (!Settings.get("log").equals("quiet")) {
            line(text);
        }
    }

    static void warning(String text) {
        line("warning: " + text);
    }

    private static void line(String text) {
        String version = Log.class.getPackage().getImplementationVersion();
        System.err.println("[gkl-shim" + (version == null ? "" : " " + version) + "] "
                + text.replaceAll("\\s*[\\r\\n]+\\s*", " "));
    }
}
