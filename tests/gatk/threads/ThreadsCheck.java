package org.gklshim.gatk.threads;

/**
 * Prints how many threads a part has for each argument: the value of GATK's option, or 0 if it is
 * not given, a comma, and the value of the property gkl.shim.threads. If that is empty, the
 * variable chooses.
 */
public final class ThreadsCheck {
    private ThreadsCheck() {}

    public static void main(String[] arguments) {
        for (String argument : arguments) {
            String[] values = argument.split(",", -1);
            System.setProperty("gkl.shim.threads", values[1]);
            System.out.println(Threads.count(Integer.parseInt(values[0])));
        }
    }
}
