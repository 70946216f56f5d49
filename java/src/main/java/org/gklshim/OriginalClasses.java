package org.gklshim;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.util.Collections;

/**
 * A class loader that finds the original classes behind ours on the class path. It is used if our
 * classes come first but do not work. It defines the original library's classes again, without
 * ours.
 */
public final class OriginalClasses extends ClassLoader {
    private static final ClassValue<OriginalClasses> LOADERS = new ClassValue<OriginalClasses>() {
        @Override
        protected OriginalClasses computeValue(Class<?> ours) {
            return new OriginalClasses(ours);
        }
    };

    private final ReplacedClass replaced;
    /** The URL of the jar or folder that holds our class. */
    private final String ours;

    private OriginalClasses(Class<?> ours) {
        super(ours.getClassLoader());
        replaced = ReplacedClass.of(ours);
        String path = path(ours.getName());
        String address = ours.getResource("/" + path).toString();
        this.ours = address.substring(0, address.length() - path.length());
    }

    /**
     * Returns an instance of the original class. If there is none, logs a warning and returns null.
     *
     * @param ours one of our classes, in front of its original
     * @param name the name of the original: the name of our class, or of a class that extends it
     */
    public static Object instance(Class<?> ours, String name) {
        OriginalClasses loader = LOADERS.get(ours);
        try {
            return loader.loadClass(name).getConstructor().newInstance();
        } catch (ReflectiveOperationException | LinkageError e) {
            loader.replaced.warnNoOriginal(e.toString());
            return null;
        }
    }

    /**
     * Calls a public method of an instance that only its own library declares.
     *
     * @throws UnsupportedOperationException if this version of the library has no such method
     */
    public static Object call(Object original, String name, Object... arguments) {
        try {
            for (Method method : original.getClass().getMethods()) {
                if (method.getName().equals(name)) {
                    return method.invoke(original, arguments);
                }
            }
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException) {
                throw (RuntimeException) e.getCause();
            }
            throw new IllegalStateException(e.getCause());
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
        throw new UnsupportedOperationException(original.getClass().getName() + " has no " + name);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(replaced.library.packages)) {
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
