package org.gklshim;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Locale;

/**
 * Finds, extracts and loads the native library.
 *
 * <p>It lies in our jar as native/PLATFORM/libgkl_shim.so. It is extracted to a directory that only
 * this user can enter, under java.io.tmpdir or else /tmp, and deleted as soon as it is loaded. The
 * system property gkl.shim.library or the environment variable GKL_SHIM_LIBRARY names a file to
 * load instead, by its absolute path: the working directory may be anybody's. It helps where the
 * temporary directories do not allow execution.
 */
final class NativeLibrary {
    private static final int WRITABLE_BY_OTHERS = 0002;
    /** In a directory with this bit, only its owner can take away what somebody has put there. */
    private static final int STICKY = 01000;

    private NativeLibrary() {}

    /** Whether there is a library for this platform. */
    static boolean isThere() {
        return !override().isEmpty() || resource() != null;
    }

    /** This platform as the jar names it, such as linux-x86_64. */
    static String platform() {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String machine = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        return (system.startsWith("mac") ? "macos" : system) + "-"
                + (machine.equals("amd64") ? "x86_64" : machine);
    }

    /**
     * Loads the library.
     *
     * @throws IOException our own jar is damaged
     * @throws IllegalStateException it cannot be extracted
     * @throws UnsatisfiedLinkError it cannot be loaded
     * @throws ReflectiveOperationException our own jar is damaged
     */
    static Engine load() throws IOException, ReflectiveOperationException {
        Engine engine = new Isolated(NativeLibrary.class.getClassLoader()).engine();
        if (!override().isEmpty()) {
            if (!new File(override()).isAbsolute()) {
                throw unusable("is not an absolute path");
            }
            try {
                engine.load(override());
            } catch (UnsatisfiedLinkError e) {
                throw unusable("does not load: " + e.getMessage());
            }
            return engine;
        }
        StringBuilder faults = new StringBuilder();
        for (String place : new LinkedHashSet<>(
                Arrays.asList(System.getProperty("java.io.tmpdir"), "/tmp"))) {
            try {
                loadFrom(Paths.get(place), engine);
                return engine;
            } catch (IOException e) {
                faults.append("; ").append(e.getClass().getSimpleName()).append(": ")
                        .append(e.getMessage());
            }
        }
        throw new IllegalStateException("the native library cannot be extracted: give the property "
                + "java.io.tmpdir a directory of your own" + faults);
    }

    /** Extracts the library to a directory of its own under this one, and loads it. */
    private static void loadFrom(Path parent, Engine engine) throws IOException {
        // Where others could replace the directory, they could replace the library.
        requireLasting(parent.toAbsolutePath());
        Path real = parent.toRealPath();
        requireLasting(real);
        Path directory = Files.createTempDirectory(real, "gkl-shim-");
        Path file = directory.resolve(System.mapLibraryName("gkl_shim"));
        try (InputStream library = resource().openStream()) {
            Files.copy(library, file);
            engine.load(file.toString());
        } finally {
            file.toFile().delete();
            directory.toFile().delete();
        }
    }

    /** Refuses a path on which others can put something else in a directory's place. */
    private static void requireLasting(Path path) throws IOException {
        for (Path part = path; part != null; part = part.getParent()) {
            int mode = (int) Files.getAttribute(part, "unix:mode");
            if ((mode & WRITABLE_BY_OTHERS) != 0 && (mode & STICKY) == 0) {
                throw new AccessDeniedException(part + ": others can write to it");
            }
        }
    }

    /** The error for a file that is not the library, or not all of it. */
    static UnsatisfiedLinkError unusable(String reason) {
        String library = override().isEmpty()
                ? "the native library"
                : Settings.source("library") + " names " + override() + ", which";
        return new UnsatisfiedLinkError(library + " " + reason);
    }

    private static String override() {
        return Settings.get("library");
    }

    private static URL resource() {
        return NativeLibrary.class.getResource(
                "/native/" + platform() + "/" + System.mapLibraryName("gkl_shim"));
    }

    /** Defines {@link NativeEngine} anew, and leaves every other class to its parent. */
    private static final class Isolated extends ClassLoader {
        private static final String NAME = "org.gklshim.NativeEngine";

        Isolated(ClassLoader parent) {
            super(parent);
        }

        Engine engine() throws IOException, ReflectiveOperationException {
            try (InputStream bytes = NativeLibrary.class.getResourceAsStream("NativeEngine.class")) {
                if (bytes == null) {
                    throw new ClassNotFoundException(NAME);
                }
                byte[] code = readAll(bytes);
                return (Engine) defineClass(NAME, code, 0, code.length)
                        .getConstructor()
                        .newInstance();
            }
        }
    }

    static byte[] readAll(InputStream stream) throws IOException {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        byte[] buffer = new byte[8192];
        for (int length; (length = stream.read(buffer)) >= 0; ) {
            content.write(buffer, 0, length);
        }
        return content.toByteArray();
    }
}
