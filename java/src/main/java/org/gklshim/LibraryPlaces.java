package org.gklshim;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The directories to extract the native library to, in the order in which they are tried.
 *
 * <p>Nothing can be extracted safely to a /tmp that belongs to neither the user nor root: in a user
 * namespace, as of Apptainer without setuid and rootless Podman, it belongs to nobody. Then the
 * user's own directories take the library: the one of the login session, the cache, the home.
 */
final class LibraryPlaces {
    private LibraryPlaces() {}

    static Set<String> all() {
        Set<String> places = new LinkedHashSet<>();
        places.add(System.getProperty("java.io.tmpdir"));
        places.add("/tmp");
        String home = System.getenv("HOME");
        for (String own : new String[] {System.getenv("XDG_RUNTIME_DIR"),
            System.getenv("XDG_CACHE_HOME"), home + "/.cache", home}) {
            if (own != null && own.startsWith("/")) {
                places.add(own);
            }
        }
        return places;
    }
}
