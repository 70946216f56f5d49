package org.gklshim;

import java.io.IOException;

/**
 * A class of GATK in which some methods call ours, as a {@link GatkPart} declares it.
 *
 * <p>The rest of the class stays GATK's. Our method can call the original: see {@link ClassFile}.
 * A class is changed only if the part is on and knows this GATK.
 */
public final class RedirectedClass {
    final GatkPart part;
    final String name;
    private final String target;
    private final String[] methods;
    private String[] fields = {};
    /** A field that is added, or null. */
    private String addedField;
    /** Instructions, and those that take their place. */
    private byte[] replaced = {};
    private byte[] replacement = {};

    /** Describes a class. All names have slashes. */
    RedirectedClass(GatkPart part, String name, String target, String... methods) {
        this.part = part;
        this.name = name;
        this.target = target;
        this.methods = methods;
    }

    /** Makes fields public, and not final. */
    public RedirectedClass open(String... names) {
        fields = names;
        return this;
    }

    /** Adds a public field, in which our code keeps an object. */
    public RedirectedClass add(String field) {
        addedField = field;
        return this;
    }

    /** Replaces instructions, which occur once in the class, by others of the same length. */
    public RedirectedClass replace(byte[] instructions, byte[] others) {
        replaced = instructions;
        replacement = others;
        return this;
    }

    /** Returns the class file with calls to our methods, or null if GATK keeps its own file. */
    byte[] transform(ClassLoader loader, byte[] original) {
        try {
            if (!part.isUsable(loader)) {
                return null;
            }
            ClassFile file = new ClassFile(original.clone());
            for (String method : methods) {
                file.redirect(name, method, target);
            }
            for (String field : fields) {
                file.open(field);
            }
            if (addedField != null) {
                file.add(addedField);
            }
            if (replaced.length > 0) {
                file.replaceCode(replaced, replacement);
            }
            return file.toBytes();
        } catch (IOException | RuntimeException | Error e) {
            part.warn(e.toString());
            return null;
        }
    }
}
