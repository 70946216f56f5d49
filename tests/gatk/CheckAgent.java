package org.gklshim;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Method;
import java.security.ProtectionDomain;

/**
 * A Java agent for tests, beside ours: calls of a method, of ours or of GATK, go to another class,
 * which may call the method as method$original. Its argument is "class,method,target", with slashes
 * in names.
 */
public final class CheckAgent {
    private CheckAgent() {}

    public static void premain(String arguments, Instrumentation instrumentation) {
        String[] names = arguments.split(",");
        instrumentation.addTransformer(new ClassFileTransformer() {
            @Override
            public byte[] transform(ClassLoader loader, String name, Class<?> redefined,
                    ProtectionDomain domain, byte[] original) {
                if (!names[0].equals(name)) {
                    return null;
                }
                try {
                    ClassFile file = new ClassFile(original.clone());
                    file.redirect(name, names[1], names[2]);
                    return file.toBytes();
                } catch (Throwable e) {
                    e.printStackTrace();
                    Runtime.getRuntime().halt(99);
                    return null;
                }
            }
        });
    }

    /** Returns the method of a class whose calls this agent, or ours, redirects. */
    public static Method original(Class<?> type, String name) {
        for (Method method : type.getMethods()) {
            if (method.getName().equals(name + "$original")) {
                return method;
            }
        }
        throw new IllegalStateException(type + " has no original " + name);
    }
}
