package org.gklshim.gatk.threads;

import org.gklshim.Log;
import org.gklshim.Setting;

/**
 * The rule for the number of threads of every part, and how a thread is made: one for each CPU that
 * the process may use, 16 at most, unless {@link Setting#THREADS} sets another number.
 */
public final class Threads {
    private static final int MOST = 16;
    /** The most that the user can set. kernels/jni/settings/settings.cpp has the same limit. */
    private static final int MOST_SET = 1024;

    private Threads() {}

    /** Returns how many CPUs the process may use: those that Java sees. */
    public static int cpus() {
        return Runtime.getRuntime().availableProcessors();
    }

    /** Returns how many threads a part has, including the caller. */
    public static int count() {
        return count(0);
    }

    /**
     * Returns how many threads a part has in a tool that has an option for their number.
     *
     * @param given the value of the option, 0 if it is not given. The setting replaces it
     */
    public static int count(int given) {
        String text = Setting.THREADS.value();
        if (!text.isEmpty()) {
            int set = parse(text);
            if (set > 0) {
                return set;
            }
            Log.warnOnce(Setting.THREADS.source() + "=" + text
                    + " is ignored: it must be a whole number from 1 to " + MOST_SET);
        }
        int most = given > 0 ? Math.min(given, MOST) : MOST;
        return Math.min(most, cpus());
    }

    /** Returns 0 if the text is not a number of threads. */
    private static int parse(String text) {
        try {
            int number = Integer.parseInt(text);
            return number >= 1 && number <= MOST_SET ? number : 0;
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /**
     * Makes a thread that does not keep the JVM from ending.
     *
     * @param part the part that the thread works for, which is in its name
     */
    public static Thread make(String part, Runnable work) {
        Thread thread = new Thread(work, "gkl-shim " + part);
        thread.setDaemon(true);
        return thread;
    }

    /** Starts a thread. Returns false, and logs it, if the system has no thread or no memory. */
    public static boolean start(String part, Runnable work) {
        try {
            make(part, work).start();
            return true;
        } catch (OutOfMemoryError e) {
            logFewer(part, e);
            return false;
        }
    }

    /** Logs why a part works with fewer threads than it should. */
    public static void logFewer(String part, Throwable reason) {
        Log.warnOnce(part + ": fewer threads: " + reason);
    }
}
