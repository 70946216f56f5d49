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

    /** Returns whether a class is the given one, or extends or implements it. */
    boolean has(String name) throws IOException, ReflectiveOperationException {
        Boolean isKnown = known.get(name);
        if (isKnown == null) {
            isKnown = look(name);
            known.put(name, isKnown);
        }
        return isKnown;
    }

    private boolean look(String name) throws IOException, ReflectiveOperationException {
        if (name.startsWith("java/")) {
            return ancestor.isAssignableFrom(Class.forName(name.replace('/', '.'), false, null));
        }
        String[] names = parents.of(name);
        if (names == null) {
            return ancestor.isAssignableFrom(loader.loadClass(name.replace('/', '.')));
        }
        for (String parent : names) {
            if (has(parent)) {
                return true;
            }
        }
        return false;
    }
}
