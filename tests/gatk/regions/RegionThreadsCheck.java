package org.gklshim.gatk.regions;

/**
 * Prints how many threads call regions for each value of the property gkl.shim.region_threads. For
 * an empty value, that is the variable's choice. The first argument is the value of GATK's option,
 * or 0 if it is not given.
 */
public final class RegionThreadsCheck {
    private RegionThreadsCheck() {}

    public static void main(String[] arguments) {
        int given = Integer.parseInt(arguments[0]);
        for (int k = 1; k < arguments.length; k++) {
            System.setProperty("gkl.shim.region_threads", arguments[k]);
            System.out.println(RegionThreads.threads(given));
        }
    }
}
