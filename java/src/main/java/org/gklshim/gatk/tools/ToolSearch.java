package org.gklshim.gatk.tools;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.util.Enumeration;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.broadinstitute.barclay.argparser.ClassFinder;

/**
 * The search for GATK's tools, read filters and annotations when it starts: for the classes in a
 * jar that extend a given one. It takes the place of a method of Barclay's ClassFinder.
 *
 * <p>Barclay loads all classes to see what they extend. We read this from their class files, and
 * load those that are found.
 */
public final class ToolSearch {
    private static final String SUFFIX = ".class";
    /** A class in each jar with tools, and the folder in which GATK looks for them. */
    private static final String[][] SEARCHED = {
        {"org/broadinstitute/hellbender/Main.class", "org/broadinstitute/hellbender/"},
        {"picard/cmdline/CommandLineProgram.class", "picard/"},
    };

    private ToolSearch() {}

    /**
     * Returns whether GATK's own jars are the first on the class path with its packages. Otherwise
     * Barclay has to search: it loads all classes in the order of the class path, and the first
     * class of a package decides the package's version. GATK writes the version of a tool's package
     * into files.
     */
    public static boolean areGatksJarsFirst(ClassLoader loader) {
        for (String[] searched : SEARCHED) {
            URL place = loader.getResource(searched[0]);
            URL first = loader.getResource(searched[1]);
            if (place != null && (first == null || !place.toString().startsWith(first.toString()))) {
                return false;
            }
        }
        return true;
    }

    /** Takes the place of the method. Adds the classes in a folder of a jar that are looked for. */
    public static void scanJar(ClassFinder finder, File file, String folder) throws IOException {
        try {
            if (areGatksJarsFirst(finder.loader)) {
                find(finder, file, folder);
            } else {
                finder.scanJar$original(file, folder);
            }
        } catch (IOException | RuntimeException | ReflectiveOperationException | LinkageError e) {
            // Barclay finds the same classes again, and knows what to do about the others.
            finder.scanJar$original(file, folder);
        }
    }

    private static void find(ClassFinder finder, File file, String folder)
            throws IOException, ReflectiveOperationException {
        try (ZipFile jar = new ZipFile(file)) {
            Ancestry ancestry = new Ancestry(finder.parentType, Parents.in(jar), finder.loader);
            Enumeration<? extends ZipEntry> entries = jar.entries();
            while (entries.hasMoreElements()) {
                String entry = entries.nextElement().getName();
                if (entry.startsWith(folder) && entry.endsWith(SUFFIX)) {
                    String name = entry.substring(0, entry.length() - SUFFIX.length());
                    if (ancestry.has(name)) {
                        finder.getClasses().add(
                                finder.loader.loadClass(name.replace('/', '.')));
                    }
                }
            }
        }
    }
}
