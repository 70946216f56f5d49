package org.gklshim;

import java.io.IOException;

/** A program that loads the native library as the agent does. {@code gkl-shim doctor} runs it. */
public final class LibraryCheck {
    private LibraryCheck() {}

    /** Exits with 0 if the library loads, otherwise with 1 and the reason on standard output. */
    public static void main(String[] arguments) {
        try {
            NativeLibrary.load();
        } catch (IOException | ReflectiveOperationException | RuntimeException | LinkageError e) {
            System.out.println(e.getMessage());
            System.exit(1);
        }
    }
}
