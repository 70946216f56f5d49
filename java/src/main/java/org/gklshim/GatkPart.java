package org.gklshim;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * A part of GATK's own Java that we make faster. It is used if all classes that it depends on are
 * {@link KnownClasses}.
 */
public enum GatkPart {
    REGIONS("regions", "calling regions", Setting.REGION_THREADS),
    ASSEMBLY("assembly", "assembly graphs", Setting.ASSEMBLY),
    WALK("walk", "finding active regions", Setting.WALK),
    CONFIDENCE("confidence", "confidence in the reference", Setting.CONFIDENCE),
    LIKELIHOODS("likelihoods", "likelihoods of alleles", Setting.LIKELIHOODS),
    ANNOTATIONS("annotations", "rank-sum tests", Setting.ANNOTATIONS),
    TOOLS("tools", "finding tools", Setting.TOOLS),
    RECALIBRATION("recalibration", "recalibration", Setting.RECALIBRATION),
    PILEUPS("pileups", "pileup summaries", Setting.PILEUPS),
    READS("reads", "reading and writing reads", Setting.READS),
    RECORDS("records", "copying reads", Setting.READS),
    DUPLICATES("duplicates", "duplicates", Setting.DUPLICATES, "Picard", "MarkDuplicates");

    /** The folder of our classes for GATK's own code. */
    static final String FOLDER = "gatk/";

    private final KnownClasses classes;
    /** What the part does, for the log. */
    private final String title;
    /** The setting that turns the part off. */
    private final Setting setting;
    /** Whose code it is, for the log. */
    private final String owner;
    /** The only tool that the log of the part is for, or null. GATK loads it with every tool. */
    private final String tool;
    private final Map<ClassLoader, Boolean> decisions = new WeakHashMap<>();
    private boolean isRefused;

    GatkPart(String name, String title, Setting setting) {
        this(name, title, setting, "GATK", null);
    }

    GatkPart(String name, String title, Setting setting, String owner, String tool) {
        classes = new KnownClasses(name);
        this.title = title;
        this.setting = setting;
        this.owner = owner;
        this.tool = tool;
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
    synchronized boolean isUsable(ClassLoader loader) throws IOException {
        Boolean known = decisions.get(loader);
        if (known == null) {
            // Set it first: the check loads classes, and must not start again for one of them.
            decisions.put(loader, false);
            setting.warnUnlessSwitch();
            if (tool != null && !isOn() && isLogged()) {
                Setting off = Setting.BACKEND.isOff() ? Setting.BACKEND : setting;
                Log.info(title + ": " + off.source() + "=off: " + owner + "'s own code is used");
            }
            known = !isRefused && isOn() && sees(loader) && isKnown(loader);
            decisions.put(loader, known);
        }
        return known;
    }

    /** Returns whether our code is used. A class of ours that serves several parts asks this. */
    public boolean isUsed() {
        try {
            return isUsable(GatkPart.class.getClassLoader());
        } catch (IOException e) {
            warn(e.toString());
            return false;
        }
    }

    /** Leaves GATK's own code to all class loaders, and logs why. */
    synchronized void refuse(String reason) {
        if (!isRefused && isOn()) {
            warn(reason);
        }
        isRefused = true;
    }

    private boolean isOn() {
        return !Setting.BACKEND.isOff() && !setting.isOff();
    }

    /** Logs that GATK's own code is used. */
    void warn(String reason) {
        if (isLogged()) {
            Log.warning(title + ": " + owner + "'s own code is used: " + reason);
        }
    }

    private void info(String reason) {
        if (isLogged()) {
            Log.info(title + ": " + owner + "'s own code is used, because " + reason);
        }
    }

    private boolean isLogged() {
        return tool == null || System.getProperty("sun.java.command", tool).contains(tool);
    }

    /** Returns whether our classes see those of a class loader. If not, logs it. */
    private boolean sees(ClassLoader loader) {
        if (loader == GatkPart.class.getClassLoader()) {
            return true;
        }
        info(owner + " has its own class loader");
        return false;
    }

    private boolean isKnown(ClassLoader loader) throws IOException {
        String unknown = classes.unknown(loader);
        if (unknown != null) {
            info("this version's " + unknown + " is not known");
        }
        return unknown == null;
    }
}
