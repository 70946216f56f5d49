package org.gklshim.gatk.regions;

/**
 * Prints how many threads call regions for each argument: the value of GATK's option, or 0 if it is
 * not given, a comma, and the value of the property gkl.shim.region_threads. If that is empty, the
 * variable chooses.
 */
public final class RegionThreadsCheck {
    private RegionThreadsCheck() {}

    public static void main(String[] arguments) {
        for (String argument : arguments) {
            String[] values = argument.split(",", -1);
            System.setProperty("gkl.shim.region_threads", values[1]);
            System.out.println(RegionThreads.threads(Integer.parseInt(values[0])));
        }
    }
}
