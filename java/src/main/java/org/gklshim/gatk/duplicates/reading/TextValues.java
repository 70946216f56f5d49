package org.gklshim.gatk.duplicates.reading;

import java.nio.charset.StandardCharsets;

/** The texts of one tag. Neighbouring records have the same one mostly, which is made once. */
public final class TextValues {
    private byte[] last = {};
    private String text = "";

    /** Returns the text of a tag of type Z, from where its type is to where it ends. */
    String get(byte[] bytes, int start, int end) {
        int size = end - start - 2;
        boolean isSame = last.length == size;
        for (int k = 0; isSame && k < size; k++) {
            isSame = bytes[start + 1 + k] == last[k];
        }
        if (!isSame) {
            last = new byte[size];
            System.arraycopy(bytes, start + 1, last, 0, size);
            text = new String(last, StandardCharsets.ISO_8859_1);
        }
        return text;
    }

    /** Returns the bytes of a text, as they are in a BAM file. */
    public static byte[] bytes(String text) {
        byte[] bytes = new byte[text.length()];
        for (int k = 0; k < bytes.length; k++) {
            bytes[k] = (byte) text.charAt(k);
        }
        return bytes;
    }
}
