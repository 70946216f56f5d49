package org.gklshim;

import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The classes of GATK that some code of ours depends on, in the versions that it was written for.
 * The file gatk/known.classes lists them, with the SHA-256 of their class files.
 */
final class KnownClasses {
    /** The lines of the file by class; null until somebody asks. */
    private static volatile Map<String, String> lines;

    private KnownClasses() {}

    /**
     * Returns the name of a class whose file is not in the list, as a class loader finds it, or
     * null if there is none. Not every version of GATK has every class.
     *
     * @param names the classes, with slashes
     */
    static String unknown(List<String> names, ClassLoader loader) throws IOException {
        for (String name : names) {
            String line = lines().get(name);
            if (line == null) {
                throw new IOException("known.classes lacks " + name);
            }
            try (InputStream stream = loader.getResourceAsStream(name + ".class")) {
                if (stream != null && !line.contains(hash(NativeLibrary.readAll(stream)))) {
                    return name.substring(name.lastIndexOf('/') + 1);
                }
            }
        }
        return null;
    }

    private static Map<String, String> lines() throws IOException {
        if (lines == null) {
            Map<String, String> read = new HashMap<>();
            for (String line : GatkPart.lines("known.classes")) {
                read.put(line.substring(0, line.indexOf(' ')), line);
            }
            lines = read;
        }
        return lines;
    }

    /** Returns the SHA-256 of a class file in hexadecimal digits. */
    private static String hash(byte[] classFile) {
        StringBuilder text = new StringBuilder();
        try {
            for (byte value : MessageDigest.getInstance("SHA-256").digest(classFile)) {
                text.append(Character.forDigit(value >> 4 & 15, 16));
                text.append(Character.forDigit(value & 15, 16));
            }
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
        return text.toString();
    }
}
