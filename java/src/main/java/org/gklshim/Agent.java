package org.gklshim;

import java.io.File;
import java.io.IOException;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Method;
import java.net.URISyntaxException;
import java.security.ProtectionDomain;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * The Java agent. Where the JVM is about to define one of the originals in {@link ReplacedClass},
 * it decides whether the JVM gets our bytes instead: only if the class's algorithm works here.
 *
 * <p>Whatever goes wrong, the original stays in place. A JVM that never asks for one of these
 * classes never notices the agent.
 */
public final class Agent implements ClassFileTransformer {
    private static final String GATK = "org/broadinstitute/hellbender/Main";

    private final Instrumentation instrumentation;
    private final Set<Algorithm> algorithms = ReplacedClass.algorithms();
    /** Kept, so that all classes of an algorithm in one class loader are ours, or none is. */
    private final Map<ClassLoader, Map<Algorithm, Boolean>> decisions = new WeakHashMap<>();
    /**
     * Every {@link ReplacedClass} that GATK's class loaders see. It is more than one only where one
     * of them does not ask the application's class loader.
     */
    private final Set<Class<?>> tables = new HashSet<>();
    private boolean awaitsEnd;

    private Agent(Instrumentation instrumentation) {
        this.instrumentation = instrumentation;
    }

    /** Called by the JVM before the main class. */
    public static void premain(String arguments, Instrumentation instrumentation) {
        if (NativeLibrary.isThere()) {
            instrumentation.addTransformer(new Agent(instrumentation));
        }
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> redefined,
            ProtectionDomain domain, byte[] original) {
        if (name == null || redefined != null) {
            return null;
        }
        if (name.equals(GATK)) {
            awaitEnd();
            return null;
        }
        ReplacedClass replaced = ReplacedClass.named(name);
        if (replaced == null) {
            return null;
        }
        // The JVM drops silently what a transformer throws.
        try {
            return isReplaced(loader, replaced, name) ? replaced.bytes() : null;
        } catch (IOException | RuntimeException | Error e) {
            replaced.warn(e.toString());
            return null;
        }
    }

    private boolean isReplaced(ClassLoader loader, ReplacedClass replaced, String name) {
        synchronized (this) {
            Boolean decision = decisions(loader).get(replaced.algorithm);
            if (decision != null) {
                return decision;
            }
        }
        // Without our lock: this loads classes, which takes class loaders' locks, and a thread that
        // comes here holds one.
        boolean usable = isUsable(loader, replaced, name);
        synchronized (this) {
            Boolean earlier = decisions(loader).putIfAbsent(replaced.algorithm, usable);
            return earlier == null ? usable : earlier;
        }
    }

    /** What has been decided for a class loader. */
    private Map<Algorithm, Boolean> decisions(ClassLoader loader) {
        Map<Algorithm, Boolean> known = decisions.get(loader);
        if (known == null) {
            known = new HashMap<>();
            decisions.put(loader, known);
        }
        return known;
    }

    /** Whether our class works among the classes that this loader sees. */
    private boolean isUsable(ClassLoader loader, ReplacedClass replaced, String name) {
        try {
            Class<?> table = table(loader);
            synchronized (this) {
                tables.add(table);
            }
            return (boolean) table.getMethod("isUsable", String.class, String.class)
                    .invoke(null, name, "agent");
        } catch (IOException | URISyntaxException | ReflectiveOperationException
                | LinkageError e) {
            replaced.warn(loader + " cannot use gkl-shim: " + e);
            return false;
        }
    }

    /** {@link ReplacedClass} as classes of this loader see it. */
    private Class<?> table(ClassLoader loader)
            throws IOException, URISyntaxException, ClassNotFoundException {
        String table = ReplacedClass.class.getName();
        try {
            return Class.forName(table, true, loader);
        } catch (ClassNotFoundException e) {
            // A loader that does not ask the application's, where agents live; all ask the
            // bootstrap's. Not done without need: it costs the JVM its class data sharing.
            JarFile jar = new JarFile(new File(
                    Agent.class.getProtectionDomain().getCodeSource().getLocation().toURI()));
            loadAll(jar);
            instrumentation.appendToBootstrapClassLoaderSearch(jar);
            return Class.forName(table, true, loader);
        }
    }

    /**
     * Loads every class of ours here. Otherwise those that this class loader has not loaded yet
     * would come from the bootstrap's from now on, and a package's classes from both.
     */
    private static void loadAll(JarFile jar) throws ClassNotFoundException {
        String ours = Agent.class.getPackage().getName().replace('.', '/') + "/";
        for (JarEntry entry : Collections.list(jar.entries())) {
            String name = entry.getName();
            if (name.startsWith(ours) && name.endsWith(".class")
                    && !name.startsWith(ours + ReplacedClass.FOLDER)) {
                Class.forName(name.substring(0, name.length() - ".class".length())
                        .replace('/', '.'), false, Agent.class.getClassLoader());
            }
        }
    }

    private synchronized void awaitEnd() {
        if (!awaitsEnd) {
            awaitsEnd = true;
            Runtime.getRuntime().addShutdownHook(new Thread(this::sayWhatWasIdle));
        }
    }

    /** So that nobody believes in a speed-up that did not happen. */
    private synchronized void sayWhatWasIdle() {
        for (Algorithm algorithm : algorithms) {
            if (isIdle(algorithm)) {
                Log.info(algorithm.name + ": " + algorithm.idleText);
            }
        }
    }

    private boolean isIdle(Algorithm algorithm) {
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
