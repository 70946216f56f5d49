package org.gklshim;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * A part of GATK's own Java that we make faster. It is used if the class files of all classes that
 * it depends on are known: gatk/NAME.known lists them, with their SHA-256 in each version of GATK.
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

    /** The name of the list of known classes. */
    private final String name;
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
        this.name = name;
        this.title = title;
        this.setting = setting;
        this.owner = owner;
        this.tool = tool;
    }

    /** Returns whether our code works with the classes that this loader sees. */
    synchronized boolean isUsable(ClassLoader loader) throws IOException {
        Boolean known = decisions.get(loader);
        if (known == null) {
            // Set it first: the check loads classes, and must not start again for one of them.
            decisions.put(loader, false);
            setting.warnUnlessSwitch();
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
        for (Map.Entry<String, Set<String>> entry : knownHashes().entrySet()) {
            try (InputStream stream = loader.getResourceAsStream(entry.getKey() + ".class")) {
                // Not every version has every class.
                if (stream != null && !entry.getValue().contains(
                        KnownOriginal.hash(NativeLibrary.readAll(stream)))) {
                    info("this version's "
                            + entry.getKey().substring(entry.getKey().lastIndexOf('/') + 1)
                            + " is not known");
                    return false;
                }
            }
        }
        return true;
    }

    private Map<String, Set<String>> knownHashes() throws IOException {
        String path = FOLDER + name + ".known";
        Map<String, Set<String>> hashes = new HashMap<>();
        try (InputStream stream = GatkPart.class.getResourceAsStream(path)) {
            if (stream == null) {
                throw new IOException(path + " is missing in gkl-shim.jar");
            }
            BufferedReader lines = new BufferedReader(
                    new InputStreamReader(stream, StandardCharsets.US_ASCII));
            for (String line; (line = lines.readLine()) != null;) {
                if (!line.startsWith("#")) {
                    String[] fields = line.split(" ");
                    hashes.computeIfAbsent(fields[0], k -> new HashSet<>()).add(fields[1]);
                }
            }
        }
        return hashes;
    }
}
