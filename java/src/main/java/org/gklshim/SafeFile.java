package org.gklshim;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The rules for a file that code is loaded from. kernels/python_host/safe_file.h has them in native
 * code, and gkl_shim/common/_safe_file.py in Python.
 *
 * <p>A world-writable file is refused, and so is a file below a world-writable directory, where it
 * can be replaced. A directory with the sticky bit, such as /tmp, is accepted if it and the entry
 * in it belong to the user or root. Links are followed one by one by the same rules. The user's
 * groups are trusted.
 */
final class SafeFile {
    private static final int WRITABLE_BY_OTHERS = 0002;
    /** In a directory with this bit, users can only remove their own files. */
    private static final int STICKY = 01000;
    /** As the kernel's. */
    private static final int MOST_LINKS = 40;

    private SafeFile() {}

    /**
     * Refuses a file that every user can change or replace.
     *
     * @param path an absolute path
     * @throws AccessDeniedException if every user can; the message says where
     * @throws IOException if the file cannot be looked at
     */
    static void require(Path path) throws IOException {
        Path reached = follow(path);
        if ((mode(reached) & WRITABLE_BY_OTHERS) != 0) {
            throw new AccessDeniedException("others can write to " + reached);
        }
    }

    /**
     * Checks that no other user can replace what this user puts into a directory.
     *
     * @param path an absolute path
     * @throws AccessDeniedException if another user can; the message says where
     * @throws IOException if the directory cannot be looked at
     */
    static void requirePlace(Path path) throws IOException {
        Path reached = follow(path);
        requireLasting(reached, reached);
    }

    /** Returns a path without links, after a check of each entry on the way. */
    private static Path follow(Path path) throws IOException {
        Path reached = path.getRoot(); // without links
        Deque<Path> rest = new ArrayDeque<>();
        path.forEach(rest::addLast);
        for (int links = 0; !rest.isEmpty(); ) {
            Path part = rest.removeFirst();
            Path entry = reached.resolve(part);
            if (part.toString().equals(".")) {
                continue;
            }
            if (part.toString().equals("..")) {
                reached = reached.getNameCount() > 0 ? reached.getParent() : reached;
                continue;
            }
            requireLasting(reached, entry);
            if (!Files.isSymbolicLink(entry)) {
                reached = entry;
            } else if (++links > MOST_LINKS) {
                throw new FileSystemLoopException(path.toString());
            } else {
                Path target = Files.readSymbolicLink(entry);
                reached = target.isAbsolute() ? target.getRoot() : reached;
                for (int k = target.getNameCount(); k-- > 0; ) {
                    rest.addFirst(target.getName(k));
                }
            }
        }
        return reached;
    }

    /** Checks that no other user can replace an entry of a directory. */
    private static void requireLasting(Path directory, Path entry) throws IOException {
        int mode = mode(directory);
        if ((mode & WRITABLE_BY_OTHERS) == 0) {
            return;
        }
        if ((mode & STICKY) == 0) {
            throw new AccessDeniedException("others can write to " + directory);
        }
        // The kernel gives the directory of a process to its user.
        int user = owner(Paths.get("/proc/self").toRealPath());
        for (Path place : new Path[] {directory, entry}) {
            if (owner(place) != 0 && owner(place) != user) {
                throw new AccessDeniedException(place + " belongs to another user");
            }
        }
    }

    private static int mode(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:mode");
    }

    private static int owner(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    }
}
