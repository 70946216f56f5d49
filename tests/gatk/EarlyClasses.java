package org.gklshim;

/** A Java agent for tests. It loads the classes that it is given, before the next agent starts. */
public final class EarlyClasses {
    private EarlyClasses() {}

    public static void premain(String names) throws ClassNotFoundException {
        for (String name : names.split(",")) {
            Class.forName(name, false, ClassLoader.getSystemClassLoader());
        }
    }
}
