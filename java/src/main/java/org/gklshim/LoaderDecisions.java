package org.gklshim;

import java.io.File;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Method;
import java.net.URISyntaxException;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * Which algorithms each class loader gets. The self-test of an algorithm runs in the classes that
 * the loader sees: the application's or, if it does not delegate to that loader, copies of them.
 */
final class LoaderDecisions {
    private final Instrumentation instrumentation;
    /** Remembered, so that a class loader gets all of our classes of an algorithm, or none. */
    private final Map<ClassLoader, Map<Algorithm, Boolean>> decisions = new WeakHashMap<>();
    /**
     * Every {@link ReplacedClass} that GATK's class loaders see. There are several only if one of
     * these loaders does not delegate to the application's class loader.
     */
    private final Set<Class<?>> tables = new HashSet<>();

    LoaderDecisions(Instrumentation instrumentation) {
        this.instrumentation = instrumentation;
    }

    /** Returns whether our class takes the place of one that this loader is about to define. */
    boolean isUsable(ClassLoader loader, ReplacedClass replaced, String name) {
        synchronized (this) {
            Boolean decision = decisions(loader).get(replaced.algorithm);
            if (decision != null) {
                return decision;
            }
        }
        // Do not hold our lock here. ask() takes the locks of class loaders, and the calling
        // thread already holds one of those.
        boolean usable = ask(loader, replaced, name);
        synchronized (this) {
            Boolean earlier = decisions(loader).putIfAbsent(replaced.algorithm, usable);
            return earlier == null ? usable : earlier;
        }
    }

    /** Returns the decisions for a class loader. */
    private Map<Algorithm, Boolean> decisions(ClassLoader loader) {
        return decisions.computeIfAbsent(loader, key -> new HashMap<>());
    }

    /** Returns whether our class works with the classes that this loader sees. */
    private boolean ask(ClassLoader loader, ReplacedClass replaced, String name) {
        try {
            Class<?> table = table(loader);
            synchronized (this) {
                tables.add(table);
            }
            return (boolean) table.getMethod("isUsable", String.class).invoke(null, name);
        } catch (IOException | URISyntaxException | ReflectiveOperationException
                | LinkageError e) {
            replaced.warn(loader + " cannot use gkl-shim: " + e);
            return false;
        }
    }

    /** Returns {@link ReplacedClass} as the classes of this loader see it. */
    private Class<?> table(ClassLoader loader)
            throws IOException, URISyntaxException, ClassNotFoundException {
        String table = ReplacedClass.class.getName();
        try {
            return Class.forName(table, true, loader);
        } catch (ClassNotFoundException e) {
            // Agents are in the application's class loader, and this loader does not delegate to
            // it. Every loader delegates to the bootstrap loader. The jar is added there only if
            // needed, because that disables the JVM's class data sharing.
            JarFile jar = new JarFile(new File(LoaderDecisions.class.getProtectionDomain()
                    .getCodeSource().getLocation().toURI()));
            loadAll(jar);
            instrumentation.appendToBootstrapClassLoaderSearch(jar);
            return Class.forName(table, true, loader);
        }
    }

    /**
     * Loads all our classes into this class loader. Otherwise the classes that are not loaded yet
     * would come from the bootstrap loader later, and a package would be split between the two.
     * Those for GATK's own code are left out: their superclasses are GATK's, which this loader does
     * not find.
     */
    private static void loadAll(JarFile jar) throws ClassNotFoundException {
        String ours = LoaderDecisions.class.getPackage().getName().replace('.', '/') + "/";
        for (JarEntry entry : Collections.list(jar.entries())) {
            String name = entry.getName();
            if (name.startsWith(ours) && name.endsWith(".class")
                    && !name.startsWith(ours + ReplacedClass.FOLDER)
                    && !name.startsWith(ours + GatkPart.FOLDER)) {
                Class.forName(name.substring(0, name.length() - ".class".length())
                        .replace('/', '.'), false, LoaderDecisions.class.getClassLoader());
            }
        }
    }

    /** Returns whether an algorithm was not used although no test of it failed. */
    synchronized boolean isIdle(Algorithm algorithm) {
        for (Class<?> table : tables) {
            try {
                Method isIdle = table.getMethod("isIdle", String.class);
                if (!(boolean) isIdle.invoke(null, algorithm.name)) {
                    return false;
                }
            } catch (ReflectiveOperationException e) {
                return false;
            }
        }
        return true;
    }
}
