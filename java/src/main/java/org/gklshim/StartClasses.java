package org.gklshim;

import java.io.IOException;
import org.gklshim.gatk.threads.Threads;
import org.gklshim.gatk.tools.Part;
import org.gklshim.gatk.tools.ToolSearch;

/**
 * The classes that every tool of GATK loads when it starts. A thread loads them ahead of GATK's own
 * thread, which initializes and uses each class before it loads the next. The file
 * gatk/start.classes lists them: a line is a package and the names of its classes.
 *
 * <p>The thread loads classes without initializing them, so no code of GATK runs earlier or in
 * another thread than without it.
 */
final class StartClasses {
    private StartClasses() {}

    /** Has a thread load the classes, unless GATK's own thread needs the only processor. */
    static void load(ClassLoader loader) {
        // A class loader that is not the JDK's may not load in several threads at once.
        if (Threads.cpus() < 2
                || loader != ClassLoader.getSystemClassLoader()
                || loader.getClass().getClassLoader() != null) {
            return;
        }
        Threads.start("start", () -> loadAll(loader));
    }

    private static void loadAll(ClassLoader loader) {
        try {
            GatkPart tools = Part.INSTANCE;
            if (!tools.isUsable(loader) || !ToolSearch.areGatksJarsFirst(loader)) {
                return;
            }
            int listed = 0;
            int absent = 0;
            for (String line : GatkPart.lines("start.classes")) {
                String[] names = line.split(" ");
                for (int k = 1; k < names.length; k++, listed++) {
                    try {
                        Class.forName(names[0] + '.' + names[k], false, loader);
                    } catch (ClassNotFoundException | LinkageError e) {
                        // Another version of a library. What GATK needs, it looks for itself.
                        absent++;
                    }
                }
            }
            Log.debug("start: a thread has loaded " + (listed - absent) + " of " + listed
                    + " classes");
        } catch (IOException | RuntimeException e) {
            Log.debug("start: GATK's own thread loads the classes: " + e);
        }
    }
}
