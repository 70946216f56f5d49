package org.gklshim.gatk;

import java.lang.reflect.Field;
import java.lang.reflect.Method;

/** Access to what is not public in GATK's objects. It is for the start of a run: it is slow. */
public final class Members {
    private Members() {}

    /**
     * Returns the value of a field.
     *
     * @param path the name of the field, or of several, each in the object before it: "a.b"
     * @throws NoSuchFieldException if this version of GATK has no such field
     */
    public static Object get(Object object, String path) throws NoSuchFieldException {
        Object value = object;
        for (String name : path.split("\\.")) {
            try {
                value = find(value.getClass(), name).get(value);
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        }
        return value;
    }

    /** Sets a field, and returns its earlier value. */
    public static Object replace(Object object, String name, Object value) throws NoSuchFieldException {
        try {
            Field field = find(object.getClass(), name);
            Object earlier = field.get(object);
            field.set(object, value);
            return earlier;
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Calls a method that has one form only. */
    public static Object call(Object object, String name, Object... arguments)
            throws ReflectiveOperationException {
        for (Class<?> type = object.getClass(); type != null; type = type.getSuperclass()) {
            for (Method method : type.getDeclaredMethods()) {
                if (method.getName().equals(name)) {
                    method.setAccessible(true);
                    return method.invoke(object, arguments);
                }
            }
        }
        throw new NoSuchMethodException(object.getClass().getName() + " has no " + name);
    }

    private static Field find(Class<?> type, String name) throws NoSuchFieldException {
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
