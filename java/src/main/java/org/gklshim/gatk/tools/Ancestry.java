package org.gklshim.gatk.tools;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** The classes of a jar that extend or implement a given class. All names have slashes. */
final class Ancestry {
    private final Class<?> ancestor;
    private final Parents parents;
    private final ClassLoader loader;
    private final Map<String, Boolean> known = new HashMap<>();

    Ancestry(Class<?> ancestor, Parents parents, ClassLoader loader) {
        this.ancestor = ancestor;
        this.parents = parents;
        this.loader = loader;
        known.put(ancestor.getName().replace('.', '/'), true);
    }

    /**
     * Returns whether a class is the given one, or extends or implements it. An absent class does
     * not: Barclay leaves out what extends it, because that cannot be loaded. GATK has such classes
     * under a Java without the module jdk.javadoc: its doclets.
     */
    boolean has(String name) throws IOException {
        Boolean isKnown = known.get(name);
        if (isKnown == null) {
            // A class that is its own ancestor cannot be loaded.
            known.put(name, false);
            isKnown = look(name);
            known.put(name, isKnown);
        }
        return isKnown;
    }

    private boolean look(String name) throws IOException {
        String[] names = name.startsWith("java/") ? null : parents.of(name);
        if (names == null) {
            try {
                return ancestor.isAssignableFrom(loader.loadClass(name.replace('/', '.')));
            } catch (ClassNotFoundException | LinkageError e) {
                return false;
            }
        }
        for (String parent : names) {
            if (has(parent)) {
                return true;
            }
        }
        return false;
    }
}
