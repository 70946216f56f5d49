package org.gklshim.gatk.regions;

import java.lang.reflect.Method;

/**
 * Prints how many threads call regions for each value of the property gkl.shim.region_threads. For
 * an empty value, that is the variable's choice.
 */
public final class RegionThreadsCheck {
    private RegionThreadsCheck() {}

    public static void main(String[] values) throws ReflectiveOperationException {
        Method threads = RegionThreads.class.getDeclaredMethod("threads", Caller.class);
        threads.setAccessible(true);
        for (String value : values) {
            System.setProperty("gkl.shim.region_threads", value);
            System.out.println(threads.invoke(null, (Object) null));
        }
    }
}
