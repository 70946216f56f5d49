package org.gklshim;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Finds, extracts and loads the native library.
 *
 * <p>The jar holds the library as native/PLATFORM/libgkl_shim.so. It is extracted to a new
 * directory that only this user can enter, under the first of {@link LibraryPlaces} that takes it,
 * and deleted once it is loaded. The system property gkl.shim.library or the environment variable GKL_SHIM_LIBRARY
 * names another file. Its path must be absolute, because the working directory may belong to
 * another user. A file that every user can change is refused.
 */
public final class NativeLibrary {
    private static NativeLibrary loaded;

    /** The class loader that the library is bound to. */
    private final Isolated isolated = new Isolated(NativeLibrary.class.getClassLoader());

    private NativeLibrary() {}

    /** Returns the name of this platform in the jar, such as linux-x86_64. */
    static String platform() {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String machine = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        return system + "-" + (machine.equals("amd64") ? "x86_64" : machine);
    }

    /**
     * Loads the library, once for the process.
     *
     * @throws IOException if our jar is damaged
     * @throws IllegalStateException if the library cannot be extracted and loaded
     * @throws ReflectiveOperationException if our jar is damaged
     * @throws UnsatisfiedLinkError if the user's library cannot be loaded
     * @throws UnsupportedOperationException if there is no library for this platform
     */
    public static synchronized NativeLibrary load() throws IOException, ReflectiveOperationException {
        if (override().isEmpty() && resource() == null) {
            throw new UnsupportedOperationException("no native library for " + platform());
        }
        if (loaded == null) {
            NativeLibrary library = new NativeLibrary();
            library.loadFile();
            loaded = library;
        }
        return loaded;
    }

    /**
     * Returns an instance of a class whose native methods are in this library.
     *
     * @param name the name of a public class with a public constructor. It is defined again in
     *     another class loader, so callers must use the instance through an interface
     * @throws IOException if our jar is damaged
     * @throws ReflectiveOperationException if our jar is damaged
     */
    public Object instance(String name) throws IOException, ReflectiveOperationException {
        return isolated.define(name).getConstructor().newInstance();
    }

    @SuppressWarnings("unchecked")
    private void loadFile() throws IOException, ReflectiveOperationException {
        Consumer<String> loader = (Consumer<String>) instance(SystemLoad.class.getName());
        if (!override().isEmpty()) {
            if (!new File(override()).isAbsolute()) {
                throw unusable("is not an absolute path");
            }
            try {
                SafeFile.require(Paths.get(override()));
            } catch (AccessDeniedException e) {
                throw unusable("is not loaded: " + e.getMessage());
            } catch (InvalidPathException e) {
                throw unusable("is no path in this locale; set LC_ALL=C.UTF-8");
            } catch (NoSuchFileException e) {
                // The loader says so.
            }
            try {
                loader.accept(override());
            } catch (UnsatisfiedLinkError e) {
                throw unusable("does not load: " + e.getMessage());
            }
            return;
        }
        StringBuilder faults = new StringBuilder();
        for (String place : LibraryPlaces.all()) {
            try {
                extractAndLoad(Paths.get(place), loader);
                return;
            } catch (IOException | InvalidPathException e) {
                faults.append("; ").append(e.getClass().getSimpleName()).append(": ")
                        .append(e.getMessage());
            } catch (UnsatisfiedLinkError e) {
                // Each copy takes a part of the little room that glibc keeps for such variables.
                if (e.getMessage().contains("static TLS")) {
                    throw new IllegalStateException("too many class loaders of this JVM have "
                            + "loaded the native library, and each has a copy of it: load gkl-shim "
                            + "in fewer class loaders", e);
                }
                // The directory may forbid execution. The JVM's message names the file twice.
                faults.append("; ").append(e.getMessage().replaceFirst("^(.+: )\\1", "$1"));
            }
        }
        throw new IllegalStateException("the native library cannot be extracted and loaded: give "
                + "the property java.io.tmpdir a directory of your own that allows execution"
                + faults);
    }

    /** Extracts the library to a new directory under this one, and loads it. */
    private static void extractAndLoad(Path parent, Consumer<String> loader) throws IOException {
        if (!parent.isAbsolute()) {
            throw new IOException("java.io.tmpdir is \"" + parent + "\", not an absolute path");
        }
        // A user who can replace the directory can replace the library.
        SafeFile.requirePlace(parent);
        Path directory = Files.createTempDirectory(parent.toRealPath(), "gkl-shim-");
        Path file = directory.resolve(System.mapLibraryName("gkl_shim"));
        try (InputStream library = resource().openStream()) {
            Files.copy(library, file);
            loader.accept(file.toString());
        } finally {
            file.toFile().delete();
            directory.toFile().delete();
        }
    }

    /** Returns the error for a file that does not work as the library. */
    private static UnsatisfiedLinkError unusable(String reason) {
        String library = override().isEmpty()
                ? "the native library"
                : Setting.LIBRARY.source() + " names " + override() + ", which";
        return new UnsatisfiedLinkError(library + " " + reason);
    }

    /** Returns the error for a library without one of our native methods. */
    public static UnsatisfiedLinkError foreign(UnsatisfiedLinkError missing) {
        return unusable("is not a library of gkl-shim for Java: it has no " + missing.getMessage());
    }

    private static String override() {
        return Setting.LIBRARY.value();
    }

    private static URL resource() {
        return NativeLibrary.class.getResource(
                "/native/" + platform() + "/" + System.mapLibraryName("gkl_shim"));
    }

    /**
     * Defines some of our classes a second time. Its parent loads all others.
     *
     * <p>The library is bound to this loader, because it also exports the native methods of Intel's
     * classes. Bound to GATK's class loader, it would also replace the native methods of classes
     * that are not replaced.
     */
    private static final class Isolated extends ClassLoader {
        Isolated(ClassLoader parent) {
            super(parent);
        }

        Class<?> define(String name) throws IOException, ClassNotFoundException {
            String path = "/" + name.replace('.', '/') + ".class";
            try (InputStream bytes = NativeLibrary.class.getResourceAsStream(path)) {
                if (bytes == null) {
                    throw new ClassNotFoundException(name);
                }
                byte[] code = readAll(bytes);
                return defineClass(name, code, 0, code.length);
            }
        }
    }

    /** Returns what is left of a stream. */
    public static byte[] readAll(InputStream stream) throws IOException {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        byte[] buffer = new byte[8192];
        for (int length; (length = stream.read(buffer)) >= 0; ) {
            content.write(buffer, 0, length);
        }
        return content.toByteArray();
    }
}
