package org.gklshim.gatk.threads;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Refuses threads as the JVM does, beyond a number for each part (-Dtest.allowed=N). */
public final class RefusedThreads {
    private static final Map<String, Integer> MADE = new ConcurrentHashMap<>();

    private RefusedThreads() {}

    /** Takes the place of the method of Threads. */
    public static Thread make(String part, Runnable work) {
        boolean isRefused = MADE.merge(part, 1, Integer::sum) > Integer.getInteger("test.allowed");
        Thread thread = new Thread(work) {
            @Override
            public synchronized void start() {
                if (isRefused) {
                    throw new OutOfMemoryError("unable to create native thread");
                }
                super.start();
            }
        };
        thread.setDaemon(true);
        return thread;
    }
}
