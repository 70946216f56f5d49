package org.gklshim.gatk.recalibration;

import org.gklshim.gatk.threads.Threads;

/** The number of threads of the tools of base quality score recalibration. */
final class RecalibrationThreads {
    private RecalibrationThreads() {}

    /** Returns the number, and logs it. A reason why one thread has to do all work may be null. */
    static int count(String serialReason) {
        int threads = serialReason == null ? Threads.count() : 1;
        Part.INSTANCE.info((threads == 1 ? "one thread" : threads + " threads")
                + (serialReason == null ? "" : ": " + serialReason));
        return threads;
    }
}
