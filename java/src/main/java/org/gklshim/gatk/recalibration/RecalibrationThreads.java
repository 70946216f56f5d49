package org.gklshim.gatk.recalibration;

import org.gklshim.Log;
import org.gklshim.Setting;

/** The number of threads of the tools of base quality score recalibration. */
final class RecalibrationThreads {
    private RecalibrationThreads() {}

    /** Returns the number, and logs it. A reason why one thread has to do all work may be null. */
    static int count(String serialReason) {
        int threads =
                serialReason == null ? Setting.RECALIBRATION.threads(Setting.USUAL_THREADS) : 1;
        Log.info("recalibration: " + (threads == 1 ? "one thread" : threads + " threads")
                + (serialReason == null ? "" : ", because of " + serialReason));
        return threads;
    }
}
