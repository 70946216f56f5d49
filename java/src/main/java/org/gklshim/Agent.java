package org.gklshim;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.net.URISyntaxException;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * The Java agent: gives the JVM our bytes where it is about to define Intel's PairHMM classes, once
 * our native library is loaded and proved. Whatever goes wrong, Intel's classes stay in place. A
 * JVM that never asks for them never notices.
 */
public final class Agent implements ClassFileTransformer {
    private static final String GATK = "org/broadinstitute/hellbender/Main";
    private static final String PACKAGE = "com/intel/gkl/pairhmm/";
    private static final String NAME = PACKAGE + "IntelPairHmm";

    private final Instrumentation instrumentation;
    /** By class loader, so that the two classes in one are always both ours or both Intel's. */
    private final Map<ClassLoader, Boolean> decisions = new WeakHashMap<>();
    /** Every {@link PairHmm} that GATK's class loaders see; more than one only in odd set-ups. */
    private final List<Class<?>> doors = new ArrayList<>();
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
        if (!name.startsWith(NAME) || !(name.length() == NAME.length() || name.endsWith("mmOMP"))) {
            return null;
        }
        // What a transformer throws is lost without a word.
        try {
            return isServed(loader) ? replacement(name) : null;
        } catch (IOException | RuntimeException | Error e) {
            Log.warning("PairHMM: Intel GKL is used: " + e);
            return null;
        }
    }

    private boolean isServed(ClassLoader loader) {
        synchronized (this) {
            Boolean decision = decisions.get(loader);
            if (decision != null) {
                return decision;
            }
        }
        // Without our lock: this loads classes, which takes class loaders' locks, and a thread that
        // comes here holds one.
        boolean loaded = load(loader);
        synchronized (this) {
            Boolean earlier = decisions.putIfAbsent(loader, loaded);
            return earlier == null ? loaded : earlier;
        }
    }

    /** Loads the native library for classes of this loader. */
    private boolean load(ClassLoader loader) {
        try {
            Class<?> door = door(loader);
            synchronized (this) {
                doors.add(door);
            }
            return (boolean) door.getMethod("load", String.class).invoke(null, "agent");
        } catch (IOException | URISyntaxException | ReflectiveOperationException
                | LinkageError e) {
            Log.warning("PairHMM: Intel GKL is used: " + loader + " cannot use gkl-shim: " + e);
            return false;
        }
    }

    /** {@link PairHmm} as classes of this loader see it. */
    private Class<?> door(ClassLoader loader)
            throws IOException, URISyntaxException, ClassNotFoundException {
        String door = PairHmm.class.getName();
        try {
            return Class.forName(door, true, loader);
        } catch (ClassNotFoundException e) {
            // A loader that does not ask the application's, where agents live; all ask the
            // bootstrap's. Not done without need: it costs the JVM its class data sharing.
            JarFile jar = new JarFile(new File(
                    Agent.class.getProtectionDomain().getCodeSource().getLocation().toURI()));
            loadAll(jar);
            instrumentation.appendToBootstrapClassLoaderSearch(jar);
            return Class.forName(door, true, loader);
        }
    }

    /**
     * Loads every class of ours here. Else those that this class loader does not know yet would
     * from now on be the bootstrap's, and the two halves no longer one package.
     */
    private static void loadAll(JarFile jar) throws ClassNotFoundException {
        for (JarEntry entry : Collections.list(jar.entries())) {
            String name = entry.getName();
            if (name.matches("org/gklshim/[^/]*\\.class")) {
                Class.forName(name.substring(0, name.length() - ".class".length())
                        .replace('/', '.'), false, Agent.class.getClassLoader());
            }
        }
    }

    private static byte[] replacement(String name) throws IOException {
        String path = "swap/" + name.substring(PACKAGE.length()) + ".class";
        try (InputStream bytes = Agent.class.getResourceAsStream(path)) {
            if (bytes == null) {
                throw new IOException(path + " is missing in gkl-shim.jar");
            }
            return NativeLibrary.readAll(bytes);
        }
    }

    private synchronized void awaitEnd() {
        if (!awaitsEnd) {
            awaitsEnd = true;
            Runtime.getRuntime().addShutdownHook(new Thread(this::sayIfUnused));
        }
    }

    /** So that nobody believes in a speed-up that did not happen. */
    private synchronized void sayIfUnused() {
        for (Class<?> door : doors) {
            try {
                if ((boolean) door.getMethod("isInitialized").invoke(null)
                        || !(boolean) door.getMethod("load", String.class).invoke(null, "agent")) {
                    return;
                }
            } catch (ReflectiveOperationException e) {
                return;
            }
        }
        Log.info("PairHMM: this run of GATK never asked for the native PairHMM, so nothing was "
                + "made faster (no PairHMM in the tool, PDHMM, a flow-based engine, or a Java "
                + "implementation)");
    }
}
