package org.gklshim;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A class file that can be renamed, in which methods can be redirected to static methods of another
 * class, and fields can be made public or added. The format is chapter 4 of the Java Virtual Machine
 * Specification.
 */
final class ClassFile {
    /** What follows the name of a redirected method in the name of the original. */
    static final String ORIGINAL = "$original";

    private static final int PUBLIC = 1;
    private static final int ACCESS = 7;
    private static final int FINAL = 0x10;
    private static final int STATIC = 8;
    private static final int SYNCHRONIZED = 0x20;
    private static final int TRANSIENT = 0x80;
    private static final int SYNTHETIC = 0x1000;
    private static final int NATIVE_OR_ABSTRACT = 0x500;

    private static final int UTF8 = 1;
    private static final int CLASS = 7;
    private static final int METHOD = 10;
    private static final int NAME_AND_TYPE = 12;

    private static final int ILOAD = 0x15;
    private static final int IRETURN = 0xac;
    private static final int INVOKESTATIC = 0xb8;

    private final byte[] bytes;
    private final int poolEnd;
    private final int poolSize;
    private final Map<Integer, String> texts = new HashMap<>();
    /** Where the constant of each class has the number of its name. */
    private final Map<Integer, Integer> classes = new HashMap<>();
    private final List<Member> fields = new ArrayList<>();
    private final List<Member> methods = new ArrayList<>();
    /** Where the number of fields is. */
    private final int fieldsStart;
    /** Where the number of methods is, and where the last method ends. */
    private final int methodsStart;
    private final int methodsEnd;

    private final ByteArrayOutputStream addedConstants = new ByteArrayOutputStream();
    private int nextConstant;
    private final ByteArrayOutputStream addedFields = new ByteArrayOutputStream();
    private int addedFieldCount;
    private final ByteArrayOutputStream addedMethods = new ByteArrayOutputStream();
    private int addedMethodCount;

    /** Where a member's access flags are in the file, and what its name and descriptor are. */
    private static final class Member {
        final int offset;
        final String name;
        final String descriptor;

        Member(int offset, String name, String descriptor) {
            this.offset = offset;
            this.name = name;
            this.descriptor = descriptor;
        }
    }

    /**
     * Reads a class file. The bytes are changed by {@link #redirect}.
     *
     * @throws IOException if it is not one, or ends too early
     */
    ClassFile(byte[] bytes) throws IOException {
        this.bytes = bytes;
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        if (in.readInt() != 0xcafebabe) {
            throw new IOException("not a class file");
        }
        in.readInt();
        poolSize = in.readUnsignedShort();
        nextConstant = poolSize;
        for (int k = 1; k < poolSize; k++) {
            k += readConstant(in, k);
        }
        poolEnd = bytes.length - in.available();
        skip(in, 6);
        skip(in, 2 * in.readUnsignedShort());
        fieldsStart = bytes.length - in.available();
        readMembers(in, fields);
        methodsStart = bytes.length - in.available();
        readMembers(in, methods);
        methodsEnd = bytes.length - in.available();
    }

    /** Reads a constant. Returns how many further numbers of the constant pool it takes. */
    private int readConstant(DataInputStream in, int number) throws IOException {
        int tag = in.readUnsignedByte();
        switch (tag) {
            case UTF8:
                texts.put(number, in.readUTF());
                return 0;
            case 3: case 4: case 9: case METHOD: case 11: case NAME_AND_TYPE: case 17: case 18:
                skip(in, 4);
                return 0;
            case 5: case 6:
                skip(in, 8);
                return 1;
            case CLASS: case 8: case 16: case 19: case 20:
                classes.put(number, bytes.length - in.available());
                skip(in, 2);
                return 0;
            case 15:
                skip(in, 3);
                return 0;
            default:
                throw new IOException("a class file with a constant of type " + tag);
        }
    }

    private void readMembers(DataInputStream in, List<Member> members) throws IOException {
        int count = in.readUnsignedShort();
        for (int k = 0; k < count; k++) {
            int offset = bytes.length - in.available();
            skip(in, 2);
            String name = texts.get(in.readUnsignedShort());
            String descriptor = texts.get(in.readUnsignedShort());
            for (int left = in.readUnsignedShort(); left > 0; left--) {
                skip(in, 2);
                skip(in, in.readInt());
            }
            members.add(new Member(offset, name, descriptor));
        }
    }

    private static void skip(DataInputStream in, int count) throws IOException {
        if (count < 0 || in.skipBytes(count) != count) {
            throw new IOException("a class file that ends too early");
        }
    }

    /** Gives the class another name, with slashes. Its descriptors must not name it. */
    void rename(String name) throws IOException {
        int thisClass = unsignedShort(poolEnd + 2);
        setShort(classes.get(thisClass), addText(name));
    }

    /**
     * Makes a field public, and not final.
     *
     * @throws IOException if the class has no such field
     */
    void open(String field) throws IOException {
        int offset = longest(fields, field).offset;
        setShort(offset, unsignedShort(offset) & ~(ACCESS | FINAL) | PUBLIC);
    }

    /** Adds a public field that can hold any object. */
    void add(String field) throws IOException {
        DataOutputStream out = new DataOutputStream(addedFields);
        out.writeShort(PUBLIC | TRANSIENT | SYNTHETIC);
        out.writeShort(addText(field));
        out.writeShort(addText("Ljava/lang/Object;"));
        out.writeShort(0);
        addedFieldCount++;
    }

    /**
     * Replaces instructions by others of the same length.
     *
     * @throws IOException if no method has these instructions, or they occur more than once
     */
    void replaceCode(byte[] instructions, byte[] others) throws IOException {
        int found = -1;
        for (int k = methodsStart; k + instructions.length <= methodsEnd; k++) {
            if (Arrays.equals(Arrays.copyOfRange(bytes, k, k + instructions.length),
                    instructions)) {
                if (found >= 0) {
                    throw new IOException("the instructions occur more than once");
                }
                found = k;
            }
        }
        if (found < 0) {
            throw new IOException("no such instructions");
        }
        System.arraycopy(others, 0, bytes, found, others.length);
    }

    /**
     * Makes a method call a static method of the same name. The original stays in the class: it is
     * public, and named with {@link #ORIGINAL}.
     *
     * @param name the name of the method. If it has several forms, this is the one with the longest
     *     descriptor, which the others call
     * @param target the class of the static method, with slashes. Its parameters are the receiver,
     *     unless the method is static, and those of the method
     * @throws IOException if the class has no such method, or several equal in length
     */
    void redirect(String className, String name, String target) throws IOException {
        Member method = longest(methods, name);
        int flags = unsignedShort(method.offset);
        if ((flags & NATIVE_OR_ABSTRACT) != 0) {
            throw new IOException(className + "." + name + " has no code");
        }
        boolean isStatic = (flags & STATIC) != 0;
        String descriptor = isStatic
                ? method.descriptor : "(L" + className + ";" + method.descriptor.substring(1);
        setShort(method.offset, flags & ~ACCESS | PUBLIC);
        setShort(method.offset + 2, addText(name + ORIGINAL));

        ByteArrayOutputStream code = new ByteArrayOutputStream();
        int locals = loadArguments(descriptor, code);
        int call = addMethodReference(target, name, descriptor);
        code.write(INVOKESTATIC);
        code.write(call >> 8);
        code.write(call);
        code.write(IRETURN + number(descriptor.charAt(descriptor.indexOf(')') + 1)));

        DataOutputStream out = new DataOutputStream(addedMethods);
        out.writeShort(flags & ~SYNCHRONIZED);
        out.writeShort(addText(name));
        out.writeShort(addText(method.descriptor));
        out.writeShort(1);
        out.writeShort(addText("Code"));
        out.writeInt(12 + code.size());
        // The stack holds the arguments, and then the result, which takes two words at most.
        out.writeShort(Math.max(locals, 2));
        out.writeShort(locals);
        out.writeInt(code.size());
        code.writeTo(out);
        out.writeShort(0);
        out.writeShort(0);
        addedMethodCount++;
    }

    /** Returns the class file with all changes. */
    byte[] toBytes() throws IOException {
        ByteArrayOutputStream result = new ByteArrayOutputStream(bytes.length + 1024);
        DataOutputStream out = new DataOutputStream(result);
        out.write(bytes, 0, 8);
        out.writeShort(nextConstant);
        out.write(bytes, 10, poolEnd - 10);
        addedConstants.writeTo(out);
        out.write(bytes, poolEnd, fieldsStart - poolEnd);
        out.writeShort(fields.size() + addedFieldCount);
        out.write(bytes, fieldsStart + 2, methodsStart - fieldsStart - 2);
        addedFields.writeTo(out);
        out.writeShort(methods.size() + addedMethodCount);
        out.write(bytes, methodsStart + 2, methodsEnd - methodsStart - 2);
        addedMethods.writeTo(out);
        out.write(bytes, methodsEnd, bytes.length - methodsEnd);
        return result.toByteArray();
    }

    private static Member longest(List<Member> members, String name) throws IOException {
        Member found = null;
        int length = 0;
        for (Member member : members) {
            if (member.name.equals(name) && member.descriptor.length() >= length) {
                if (member.descriptor.length() == length) {
                    throw new IOException("several members " + name);
                }
                found = member;
                length = member.descriptor.length();
            }
        }
        if (found == null) {
            throw new IOException("no member " + name);
        }
        return found;
    }

    /** Writes the instructions that push all arguments. Returns how many words these take. */
    private static int loadArguments(String descriptor, ByteArrayOutputStream code) {
        int word = 0;
        for (int k = 1; descriptor.charAt(k) != ')'; k++) {
            char type = descriptor.charAt(k);
            while (descriptor.charAt(k) == '[') {
                k++;
            }
            if (descriptor.charAt(k) == 'L') {
                k = descriptor.indexOf(';', k);
            }
            code.write(ILOAD + number(type));
            code.write(word);
            word += type == 'J' || type == 'D' ? 2 : 1;
        }
        return word;
    }

    /** Returns a type's place among the instructions that load, or return, values of each type. */
    private static int number(char type) {
        switch (type) {
            case 'J': return 1;
            case 'F': return 2;
            case 'D': return 3;
            case 'L': case '[': return 4;
            case 'V': return 5;
            default: return 0;
        }
    }

    private int addText(String text) throws IOException {
        byte[] encoded = text.getBytes(StandardCharsets.US_ASCII);
        return add(UTF8, encoded.length, encoded);
    }

    private int addMethodReference(String type, String name, String descriptor)
            throws IOException {
        int owner = add(CLASS, addText(type));
        int signature = add(NAME_AND_TYPE, addText(name), shortBytes(addText(descriptor)));
        return add(METHOD, owner, shortBytes(signature));
    }

    private int add(int tag, int value, byte... rest) throws IOException {
        if (nextConstant == 0xffff) {
            throw new IOException("a class file with too many constants");
        }
        addedConstants.write(tag);
        addedConstants.write(shortBytes(value));
        addedConstants.write(rest);
        return nextConstant++;
    }

    private static byte[] shortBytes(int value) {
        return new byte[] {(byte) (value >> 8), (byte) value};
    }

    private int unsignedShort(int offset) {
        return (bytes[offset] & 0xff) << 8 | bytes[offset + 1] & 0xff;
    }

    private void setShort(int offset, int value) {
        bytes[offset] = (byte) (value >> 8);
        bytes[offset + 1] = (byte) value;
    }
}
