package org.gklshim.gatk.tools;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.gklshim.NativeLibrary;

/**
 * What the classes in a jar extend and implement, by their class files, whose format is chapter 4
 * of the Java Virtual Machine Specification.
 */
final class Parents {
    /** The parents of each class that was asked for, for each path of a jar. */
    private static final Map<String, Map<String, String[]>> KNOWN = new HashMap<>();

    private final ZipFile jar;
    private final Map<String, String[]> known;

    private Parents(ZipFile jar, Map<String, String[]> known) {
        this.jar = jar;
        this.known = known;
    }

    /** Returns the parents of classes in a jar. GATK searches the same jars several times. */
    static synchronized Parents in(ZipFile jar) {
        return new Parents(jar, KNOWN.computeIfAbsent(jar.getName(), name -> new HashMap<>()));
    }

    /**
     * Returns the superclass and the interfaces of a class, or null if the jar has no such class.
     * All names have slashes.
     */
    String[] of(String name) throws IOException {
        String[] parents = known.get(name);
        if (parents == null) {
            ZipEntry entry = jar.getEntry(name + ".class");
            if (entry != null) {
                try (InputStream stream = jar.getInputStream(entry)) {
                    parents = read(NativeLibrary.readAll(stream));
                }
                known.put(name, parents);
            }
        }
        return parents;
    }

    private static String[] read(byte[] file) {
        int[] constants = new int[unsignedShort(file, 8)];
        int next = 10;
        for (int k = 1; k < constants.length; k++) {
            constants[k] = next;
            int tag = file[next];
            next += size(file, next);
            // These two take the numbers of two constants.
            if (tag == 5 || tag == 6) {
                k++;
            }
        }
        // The class's flags and its own name come first.
        int superclass = next + 4;
        String[] parents = new String[1 + unsignedShort(file, superclass + 2)];
        parents[0] = className(file, constants, superclass);
        for (int k = 1; k < parents.length; k++) {
            parents[k] = className(file, constants, superclass + 2 + 2 * k);
        }
        return parents;
    }

    /** Returns the size of the constant at an offset. */
    private static int size(byte[] file, int offset) {
        switch (file[offset]) {
            case 1: return 3 + unsignedShort(file, offset + 1);
            case 3: case 4: case 9: case 10: case 11: case 12: case 17: case 18: return 5;
            case 5: case 6: return 9;
            case 7: case 8: case 16: case 19: case 20: return 3;
            case 15: return 4;
            default: throw new IllegalArgumentException("a constant of type " + file[offset]);
        }
    }

    /** Returns the name of the class whose number is at an offset. */
    private static String className(byte[] file, int[] constants, int offset) {
        int text = constants[unsignedShort(file, constants[unsignedShort(file, offset)] + 1)];
        return new String(file, text + 3, unsignedShort(file, text + 1), StandardCharsets.UTF_8);
    }

    private static int unsignedShort(byte[] file, int offset) {
        return (file[offset] & 0xff) << 8 | file[offset + 1] & 0xff;
    }
}
