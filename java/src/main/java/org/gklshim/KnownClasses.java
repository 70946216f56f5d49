package org.gklshim;

import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The classes of GATK that some code of ours depends on, in the versions that it was written for.
 * The file gatk/NAME.known lists them, with the SHA-256 of their class files.
 */
final class KnownClasses {
    private final String name;

    /** @param name the name of the list */
    KnownClasses(String name) {
        this.name = name;
    }

    /**
     * Returns the name of a class whose file is not in the list, as a class loader finds it, or null
     * if there is none. Not every version of GATK has every class.
     */
    String unknown(ClassLoader loader) throws IOException {
        for (Map.Entry<String, Set<String>> entry : hashes().entrySet()) {
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

    private Map<String, Set<String>> hashes() throws IOException {
        Map<String, Set<String>> hashes = new HashMap<>();
        for (String line : GatkPart.lines(name + ".known")) {
            String[] fields = line.split(" ");
            hashes.computeIfAbsent(fields[0], k -> new HashSet<>()).add(fields[1]);
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
