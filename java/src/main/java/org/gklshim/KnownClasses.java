package org.gklshim;

import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The classes of GATK that some code of ours depends on, in the versions that it was written for.
 * The file gatk/known.classes lists them, with the SHA-256 of their class files.
 */
final class KnownClasses {
    /** The lines of the file; null until somebody asks. */
    private static volatile List<String> lines;

    private final String part;

    /** @param part the part of our code, as the file names it */
    KnownClasses(String part) {
        this.part = part;
    }

    /**
     * Returns the name of a class whose file is not in the list, as a class loader finds it, or null
     * if there is none. Not every version of GATK has every class.
     */
    String unknown(ClassLoader loader) throws IOException {
        for (Map.Entry<String, String> entry : hashes().entrySet()) {
            String path = entry.getKey();
            try (InputStream stream = loader.getResourceAsStream(path + ".class")) {
                if (stream != null
                        && !entry.getValue().contains(hash(NativeLibrary.readAll(stream)))) {
                    return path.substring(path.lastIndexOf('/') + 1);
                }
            }
        }
        return null;
    }

    /** Returns the hashes of each class, in one text. */
    private Map<String, String> hashes() throws IOException {
        if (lines == null) {
            lines = GatkPart.lines("known.classes");
        }
        Map<String, String> hashes = new HashMap<>();
        for (String line : lines) {
            String[] fields = line.split(" ", 3);
            if (Arrays.asList(fields[1].split(",")).contains(part)) {
                hashes.put(fields[0], fields[2]);
            }
        }
        if (hashes.isEmpty()) {
            throw new IOException("known.classes has no class for " + part);
        }
        return hashes;
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
