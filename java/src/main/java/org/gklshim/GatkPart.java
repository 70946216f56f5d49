package org.gklshim;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A part of GATK's own Java, or of a library's, that we make faster. Each has a folder in gatk/,
 * with a class Part that declares it: the methods that call ours, the classes that it must know,
 * its setting, and the title of its log lines. The agent makes a Part before GATK loads a class, so
 * a Part names all classes of GATK in texts.
 *
 * <p>A part is used if all its classes are {@link KnownClasses}. {@link GatkParts} lists the parts.
 */
public abstract class GatkPart {
    /** The folder of our classes for GATK's own code. */
    static final String FOLDER = "gatk/";

    /** Turns the part off. */
    public final Setting setting;
    private final String title;
    private final String owner;
    /** The only tool that the log of the part is for, or null. GATK loads it with every tool. */
    private final String tool;
    private final List<RedirectedClass> redirected = new ArrayList<>();
    private final List<String> known = new ArrayList<>();
    private final Map<ClassLoader, Boolean> decisions = new WeakHashMap<>();
    private final Set<String> told = ConcurrentHashMap.newKeySet();
    private boolean isRefused;

    /** @param title what the part does, for the log */
    protected GatkPart(String title, Setting setting) {
        this(title, setting, "GATK", null);
    }

    /**
     * Describes a part of which only one tool logs something.
     *
     * @param owner whose code it is, for the log
     * @param tool the name of the tool
     */
    protected GatkPart(String title, Setting setting, String owner, String tool) {
        this.title = title;
        this.setting = setting;
        this.owner = owner;
        this.tool = tool;
    }

    /**
     * Makes methods of a class call ours. Another part may do the same with this class: our methods
     * then ask each part whether it {@link #isUsed}.
     *
     * @param name the class, with slashes. The part must know it
     * @param target our class, in the part's folder or with slashes, which has a static method of
     *     the same name for each of the methods
     */
    protected final RedirectedClass redirect(String name, String target, String... methods) {
        String folder = getClass().getPackage().getName().replace('.', '/') + "/";
        RedirectedClass made = new RedirectedClass(this, name,
                target.indexOf('/') < 0 ? folder + target : target, methods);
        redirected.add(made);
        known.add(name);
        return made;
    }

    /** Changes a class, of which all methods stay GATK's. The part must know it. */
    protected final RedirectedClass change(String name) {
        return redirect(name, "");
    }

    /** Names classes on which the part depends: a folder, and their paths below it. */
    protected final void know(String folder, String... names) {
        for (String name : names) {
            known.add(folder + name);
        }
    }

    /** Returns whether every tool of GATK loads the classes that the part changes. */
    protected boolean isOfEveryTool() {
        return false;
    }

    final List<RedirectedClass> redirected() {
        return redirected;
    }

    final List<String> known() {
        return known;
    }

    /** Returns the lines of a file in the folder, without comments. */
    static List<String> lines(String file) throws IOException {
        List<String> lines = new ArrayList<>();
        try (InputStream stream = GatkPart.class.getResourceAsStream(FOLDER + file)) {
            if (stream == null) {
                throw new IOException(FOLDER + file + " is missing in gkl-shim.jar");
            }
            BufferedReader reader = new BufferedReader(
                    new InputStreamReader(stream, StandardCharsets.US_ASCII));
            for (String line; (line = reader.readLine()) != null;) {
                if (!line.startsWith("#")) {
                    lines.add(line);
                }
            }
        }
        return lines;
    }

    /** Returns whether our code works with the classes that this loader sees. */
    final synchronized boolean isUsable(ClassLoader loader) throws IOException {
        Boolean decision = decisions.get(loader);
        if (decision == null) {
            // Set it first: the check loads classes, and must not start again for one of them.
            decisions.put(loader, false);
            setting.warnUnlessSwitch();
            if (tool != null && !isOn()) {
                Setting off = Setting.BACKEND.isOff() ? Setting.BACKEND : setting;
                leave(off.source() + "=off");
            }
            decision = !isRefused && isOn() && sees(loader) && knows(loader);
            decisions.put(loader, decision);
        }
        return decision;
    }

    /** Returns whether our code is used. A class of ours that serves several parts asks this. */
    public final boolean isUsed() {
        try {
            return isUsable(GatkPart.class.getClassLoader());
        } catch (IOException e) {
            warn(e.toString());
            return false;
        }
    }

    /** Leaves GATK's own code to all class loaders, and logs why. */
    final synchronized void refuse(String reason) {
        if (!isRefused && isOn() && isLogged()) {
            warn(reason);
        }
        isRefused = true;
    }

    private boolean isOn() {
        return !Setting.BACKEND.isOff() && !setting.isOff();
    }

    /** Logs what the part does. */
    public final void info(String text) {
        Log.info(title + ": " + text);
    }

    /** Logs why GATK's own code is used. */
    public final void fallBack(String reason) {
        Log.info(fallback(reason));
    }

    /** Does the same, but tells each reason only once. */
    public final void fallBackOnce(String reason) {
        if (told.add(reason)) {
            fallBack(reason);
        }
    }

    /** Logs why GATK's own code is used, if that is unexpected. */
    public final void warn(String reason) {
        Log.warning(fallback(reason));
    }

    /** Logs why no run uses our code, if this run is of the part's tool. */
    private void leave(String reason) {
        if (isLogged()) {
            fallBack(reason);
        }
    }

    final String fallback(String reason) {
        return Log.fallback(title, owner + "'s own code", reason);
    }

    private boolean isLogged() {
        return tool == null || System.getProperty("sun.java.command", tool).contains(tool);
    }

    /** Returns whether our classes see those of a class loader. If not, logs it. */
    private boolean sees(ClassLoader loader) {
        if (loader == GatkPart.class.getClassLoader()) {
            return true;
        }
        leave(owner + " has its own class loader");
        return false;
    }

    private boolean knows(ClassLoader loader) throws IOException {
        String unknown = KnownClasses.unknown(known, loader);
        if (unknown != null) {
            leave("this version's " + unknown + " is not known");
        }
        return unknown == null;
    }
}
