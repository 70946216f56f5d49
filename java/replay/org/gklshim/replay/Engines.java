package org.gklshim.replay;

import java.io.File;
import java.lang.invoke.MethodHandles;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;

/** What the replays of all kernels share. */
final class Engines {
    /** In shorter turns, the clock and cold caches would affect the result. */
    static final double TURN_SECONDS = 0.25;

    private Engines() {
    }

    /** What a replay computes. */
    interface Program {
        String run() throws Throwable;
    }

    /** Prints what a program returns. If it fails, prints one line as an error and exits with 1. */
    static void print(Program program) {
        try {
            System.out.println(program.run());
        } catch (Throwable e) {
            System.err.println("replay: " + (e.getMessage() == null ? e : e.getMessage()));
            System.exit(1);
        }
    }

    /** Returns a loader of an engine's classes, which this thread then uses. */
    static ClassLoader loader(String classPath) throws Exception {
        List<URL> urls = new ArrayList<>();
        for (String entry : classPath.split(":")) {
            URL url = Paths.get(entry).toUri().toURL();
            if (entry.endsWith("gkl-shim.jar")) {
                // The classes that its agent gives to GATK come before GATK's.
                urls.add(new URL("jar:" + url + "!/org/gklshim/replacements/"));
            }
            urls.add(url);
        }
        ClassLoader loader = new URLClassLoader(urls.toArray(new URL[0]),
                ClassLoader.getPlatformClassLoader());
        Thread.currentThread().setContextClassLoader(loader);
        return loader;
    }

    /** Makes an engine's object, whose native library must load. */
    static Object load(String name, Class<?> type) throws Throwable {
        Object instance = type.getConstructor().newInstance();
        boolean loaded = (boolean) MethodHandles.lookup()
                .unreflect(type.getMethod("load", File.class)).bindTo(instance)
                .invoke((File) null);
        if (!loaded) {
            throw new IllegalStateException(
                    name + ": its native library does not load on this machine");
        }
        return instance;
    }
}
