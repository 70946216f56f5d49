package org.gklshim;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.Collections;

/**
 * Intel's own classes, for where ours stand in front of them on the class path but cannot serve: a
 * class loader that defines GKL's classes anew and passes over ours.
 */
public final class StockGkl extends ClassLoader {
    private static final String PACKAGE = "com.intel.gkl.";

    /** The beginning of the addresses of everything beside our classes. */
    private final String ours;

    /**
     * Makes a loader for what one of our classes stands in front of.
     *
     * @param ours a class of ours with the name of one of Intel's
     */
    public StockGkl(Class<?> ours) {
        super(ours.getClassLoader());
        String path = path(ours.getName());
        String address = ours.getResource("/" + path).toString();
        this.ours = address.substring(0, address.length() - path.length());
    }

    /** An instance of Intel's class of the same name as ours, or null where there is none. */
    public Object instance(String name) {
        try {
            return loadClass(name).getConstructor().newInstance();
        } catch (ReflectiveOperationException | LinkageError e) {
            Log.warning("PairHMM: Intel GKL cannot be used either: " + e);
            return null;
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(PACKAGE)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : define(name);
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        try {
            for (URL copy : Collections.list(getParent().getResources(path(name)))) {
                if (!copy.toString().startsWith(ours)) {
                    try (InputStream bytes = copy.openStream()) {
                        byte[] code = NativeLibrary.readAll(bytes);
                        return defineClass(name, code, 0, code.length);
                    }
                }
            }
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
        throw new ClassNotFoundException(name);
    }

    private static String path(String name) {
        return name.replace('.', '/') + ".class";
    }
}
