package org.gklshim;

import java.io.IOException;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The Java agent. When the JVM is about to define a class listed in {@link ReplacedClass}, the
 * agent gives it our class file instead, if the class's algorithm works on this machine. In a class
 * that a {@link GatkPart} names, it makes some methods call ours.
 *
 * <p>If anything goes wrong, the JVM gets the original class. The agent has no effect on a JVM that
 * loads none of these classes.
 */
public final class Agent implements ClassFileTransformer {
    private static final String GATK = "org/broadinstitute/hellbender/Main";

    private static boolean isInstalled;

    private final Instrumentation instrumentation;
    private final Set<Algorithm> algorithms = ReplacedClass.algorithms();
    /** The algorithms of classes that were loaded before this agent. */
    private final Set<Algorithm> refused = new HashSet<>();
    private final LoaderDecisions decisions;
    /** Whether the JVM has loaded a class that we know, replaced or not. */
    private volatile boolean hasKnownClass;
    /** Whether a class was changed that not every tool of GATK loads. */
    private volatile boolean hasChangedClass;
    private boolean awaitsEnd;

    private Agent(Instrumentation instrumentation) {
        this.instrumentation = instrumentation;
        decisions = new LoaderDecisions(instrumentation);
    }

    /**
     * Called by the JVM before the main class, once for each time that its options name the agent:
     * JAVA_TOOL_OPTIONS may, and the command line again.
     */
    public static synchronized void premain(String arguments, Instrumentation instrumentation) {
        if (!isInstalled) {
            isInstalled = true;
            Agent agent = new Agent(instrumentation);
            instrumentation.addTransformer(agent);
            agent.refuseLoadedClasses();
        }
    }

    /**
     * Leaves alone what depends on a class that the JVM has loaded before this agent: it cannot be
     * changed any more. Java 24 and later load the classes of an AOT cache that early.
     */
    private void refuseLoadedClasses() {
        for (Class<?> loaded : instrumentation.getInitiatedClasses(
                ClassLoader.getSystemClassLoader())) {
            String name = loaded.getName().replace('.', '/');
            String reason = "the JVM loaded " + loaded.getSimpleName()
                    + " before the agent; do without -XX:AOTCache, or make the cache with "
                    + "-XX:-AOTClassLinking";
            GatkParts.changesOf(name).forEach(change -> change.part.refuse(reason));
            ReplacedClass replaced = ReplacedClass.named(name);
            if (replaced != null) {
                hasKnownClass = true;
                if (refused.add(replaced.algorithm)) {
                    replaced.warn(reason);
                }
            }
        }
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> redefined,
            ProtectionDomain domain, byte[] original) {
        if (name == null || redefined != null) {
            return null;
        }
        if (name.equals(GATK)) {
            if (!asksForHelp()) {
                awaitEnd(loader);
                StartClasses.load(loader);
            }
            return null;
        }
        // Parts that change the same class change it in the same way.
        for (RedirectedClass change : GatkParts.changesOf(name)) {
            byte[] changed = change.transform(loader, original);
            if (changed != null) {
                // Several threads load classes, so this is never set back.
                if (!change.part.isOfEveryTool()) {
                    hasChangedClass = true;
                }
                return changed;
            }
        }
        ReplacedClass replaced = ReplacedClass.named(name);
        if (replaced == null) {
            return null;
        }
        // The JVM silently ignores exceptions of a transformer.
        try {
            if (replaced.isSuperseded(loader)) {
                return null;
            }
            hasKnownClass = true;
            String mismatch = replaced.mismatch(loader);
            if (mismatch != null) {
                replaced.warn(mismatch);
                return null;
            }
            boolean isOurs = !refused.contains(replaced.algorithm)
                    && decisions.isUsable(loader, replaced, name);
            return isOurs ? replaced.bytes() : null;
        } catch (IOException | RuntimeException | Error e) {
            replaced.warn(e.toString());
            return null;
        }
    }

    /** Returns whether GATK will only show its help or its version. */
    private static boolean asksForHelp() {
        // The main class or the jar, and the arguments. Not all JVMs have this property.
        List<String> command = Arrays.asList(System.getProperty("sun.java.command", "").split(" "));
        return command.contains("--help") || command.contains("-h")
                || command.contains("--version");
    }

    private synchronized void awaitEnd(ClassLoader gatk) {
        if (!awaitsEnd) {
            awaitsEnd = true;
            Runtime.getRuntime().addShutdownHook(new Thread(() -> logEnd(gatk)));
        }
    }

    /** Logs what GATK did not use, so that nobody expects a speed-up from it. */
    private synchronized void logEnd(ClassLoader gatk) {
        if (!hasKnownClass) {
            if (!hasChangedClass && !Setting.BACKEND.isOff()) {
                Log.warning(version(gatk) + " loaded none of the classes that gkl-shim replaces, "
                        + "so nothing was made faster (it ended early, the tool has no such step, "
                        + "its options choose Java, or this gkl-shim does not know this GATK)");
            }
            return;
        }
        for (Algorithm algorithm : algorithms) {
            if (algorithm.idleText != null && decisions.isIdle(algorithm)) {
                Log.info(algorithm.name + ": " + algorithm.idleText);
            }
        }
    }

    /** Returns the name and the version of the GATK that a class loader has loaded. */
    private static String version(ClassLoader gatk) {
        try {
            Package main = Class.forName(GATK.replace('/', '.'), false, gatk).getPackage();
            String version = main == null ? null : main.getImplementationVersion();
            return version == null ? "this GATK, which names no version," : "GATK " + version;
        } catch (ClassNotFoundException | LinkageError e) {
            return "this GATK";
        }
    }
}
