package org.gklshim;

import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Recognizes a class of GATK itself by its class file. Unlike a library's class, it changes from
 * version to version, and our class fits only those that it was written for.
 */
final class KnownOriginal {
    private final String versions;
    private final String[] related;
    private final String hash;
    private final String successor;

    /**
     * Describes a class.
     *
     * @param versions the versions of GATK that have it, for the log
     * @param related other classes that ours depends on, with slashes
     * @param hash the SHA-256, in hexadecimal digits, of the class file and of those of the related
     *     classes, one after another
     * @param successor a class, with slashes, that is replaced instead in versions that have it
     */
    KnownOriginal(String versions, String[] related, String hash, String successor) {
        this.versions = versions;
        this.related = related;
        this.hash = hash;
        this.successor = successor;
    }

    /** Returns whether this GATK has another class that is to be replaced instead. */
    boolean isSuperseded(ClassLoader loader) {
        return loader.getResource(successor + ".class") != null;
    }

    /** Returns why our class does not fit this original, or null if it does. */
    String mismatch(byte[] original, ClassLoader loader) throws IOException {
        MessageDigest digest = sha256();
        digest.update(original);
        for (String name : related) {
            try (InputStream stream = loader.getResourceAsStream(name + ".class")) {
                if (stream != null) {
                    digest.update(NativeLibrary.readAll(stream));
                }
            }
        }
        return hexadecimal(digest.digest()).equals(hash)
                ? null : "this GATK is none of the versions " + versions;
    }

    /** Returns the SHA-256 of a class file in hexadecimal digits. */
    static String hash(byte[] classFile) {
        return hexadecimal(sha256().digest(classFile));
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String hexadecimal(byte[] digest) {
        StringBuilder text = new StringBuilder();
        for (byte value : digest) {
            text.append(Character.forDigit(value >> 4 & 15, 16));
            text.append(Character.forDigit(value & 15, 16));
        }
        return text.toString();
    }
}
