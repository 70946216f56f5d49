package org.gklshim.gatk.recalibration;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadLocalRandom;
import org.gklshim.gatk.records.BamFormat;
import org.gklshim.gatk.records.BamRecord;

/**
 * What CheckAgent has our threads call for a read. It sleeps at random (-Dtest.sleep=MS), or fails
 * at a read's name (-Dtest.fail=NAME with -Dtest.error=exception or memory).
 */
public final class RecalibrationTroubleCalls {
    private static final int READS_A_SLEEP = 40;

    private RecalibrationTroubleCalls() {}

    public static boolean take(ReadArrays arrays, BamRecord record) throws Throwable {
        int longest = Integer.getInteger("test.sleep", 0);
        ThreadLocalRandom random = ThreadLocalRandom.current();
        if (longest > 0 && random.nextInt(READS_A_SLEEP) == 0) {
            Thread.sleep(random.nextInt(longest));
        }
        if (name(record).equals(System.getProperty("test.fail"))) {
            if (System.getProperty("test.error").equals("memory")) {
                throw new OutOfMemoryError("for the test");
            }
            throw new IllegalStateException("for the test");
        }
        Method original = ReadArrays.class.getDeclaredMethod("take$original", BamRecord.class);
        original.setAccessible(true);
        try {
            return (boolean) original.invoke(arrays, record);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static String name(BamRecord record) {
        int start = record.start + BamFormat.FIXED_SIZE;
        int size = record.bytes[record.start + 12] - 1;
        return new String(record.bytes, start, size, StandardCharsets.US_ASCII);
    }
}
