package org.gklshim.gatk.regions;

/**
 * Prints how many threads call regions for each value of the property gkl.shim.region_threads, if
 * GATK's option asks for two. For an empty value, that is the variable's choice.
 */
public final class RegionThreadsCheck {
    private RegionThreadsCheck() {}

    public static void main(String[] values) {
        for (String value : values) {
            System.setProperty("gkl.shim.region_threads", value);
            System.out.println(RegionThreads.threads(2));
        }
    }
}
