package org.gklshim.gatk;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** Access to what is not public in GATK's objects. It is for the start of a run: it is slow. */
public final class Members {
    private Members() {}

    /**
     * Returns the value of a field.
     *
     * @param path the name of the field, or of several, each in the object before it: "a.b"
     * @throws IllegalStateException if this version of GATK has no such field
     */
    public static Object get(Object object, String path) {
        try {
            return find(object, path);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the same, or another value if this version of GATK has no such field. */
    public static Object get(Object object, String path, Object absent) {
        try {
            return find(object, path);
        } catch (NoSuchFieldException e) {
            return absent;
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Sets a field, and returns its earlier value.
     *
     * @throws IllegalStateException if this version of GATK has no such field
     */
    public static Object replace(Object object, String name, Object value) {
        try {
            Field field = field(object.getClass(), name);
            Object earlier = field.get(object);
            field.set(object, value);
            return earlier;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Calls a method that has one form only. What it throws without declaring it is thrown here.
     *
     * @throws IllegalStateException if this version of GATK has no such method, or it throws an
     *     exception that it declares
     */
    public static Object call(Object object, String name, Object... arguments) {
        return call(object.getClass(), object, name, arguments);
    }

    /** Calls a static method, of a class that need not be public, in the same way. */
    public static Object callStatic(ClassLoader loader, String type, String name,
            Object... arguments) {
        try {
            return call(Class.forName(type, true, loader), null, name, arguments);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Object call(Class<?> first, Object object, String name, Object... arguments) {
        for (Class<?> type = first; type != null; type = type.getSuperclass()) {
            for (Method method : type.getDeclaredMethods()) {
                if (method.getName().equals(name)) {
                    method.setAccessible(true);
                    try {
                        return method.invoke(object, arguments);
                    } catch (InvocationTargetException e) {
                        throw unchecked(e.getCause());
                    } catch (ReflectiveOperationException e) {
                        throw new IllegalStateException(e);
                    }
                }
            }
        }
        throw new IllegalStateException(first.getName() + " has no " + name);
    }

    /**
     * Calls the constructor that has one argument, of this type.
     *
     * @throws IllegalStateException if this version of GATK has no such constructor
     */
    public static <T, A> T create(Class<T> type, Class<A> argumentType, A argument) {
        try {
            Constructor<T> constructor = type.getDeclaredConstructor(argumentType);
            constructor.setAccessible(true);
            return constructor.newInstance(argument);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static RuntimeException unchecked(Throwable failure) {
        if (failure instanceof Error) {
            throw (Error) failure;
        }
        return failure instanceof RuntimeException
                ? (RuntimeException) failure : new IllegalStateException(failure);
    }

    private static Object find(Object object, String path)
            throws NoSuchFieldException, IllegalAccessException {
        Object value = object;
        for (String name : path.split("\\.")) {
            value = field(value.getClass(), name).get(value);
        }
        return value;
    }

    /** Returns a field of a class or of one above it. */
    public static Field field(Class<?> type, String name) throws NoSuchFieldException {
        for (Class<?> declaring = type; declaring != null; declaring = declaring.getSuperclass()) {
            for (Field field : declaring.getDeclaredFields()) {
                if (field.getName().equals(name)) {
                    field.setAccessible(true);
                    return field;
                }
            }
        }
        throw new NoSuchFieldException(type.getName() + " has no " + name);
    }
}
