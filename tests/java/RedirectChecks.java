package org.gklshim;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;

/** Redirects the methods of a class of its own, calls them, and prints the results. */
public final class RedirectChecks {
    /** The class whose methods are redirected. Its calls of them are here too. */
    public static class Subject {
        private final String name = "subject";

        private String secret(int number) {
            return name + " " + number;
        }

        public String call() {
            return secret(3);
        }

        public synchronized double sum(long a, double b, float c, byte d, boolean e, char f, short g) {
            return a + b + c + d + (e ? 1 : 0) + f + g;
        }

        public static long[] stat(int[][] grid, String[] names, long last) {
            return new long[] {grid.length, names.length, last};
        }

        public final void nothing() {}

        public int several(int a) {
            return a;
        }

        public int several(long a) {
            return 2;
        }

        public int twoForms(int a) {
            return twoForms(a, 1);
        }

        public int twoForms(int a, int b) {
            return a + b;
        }
    }

    /** The target. Each method changes the result of the original. */
    public static class Target {
        public static String secret(Subject subject, int number) throws Exception {
            return "not " + original(subject, "secret", number);
        }

        public static double sum(Subject subject, long a, double b, float c, byte d, boolean e,
                char f, short g) throws Exception {
            return -(double) original(subject, "sum", a, b, c, d, e, f, g);
        }

        public static long[] stat(int[][] grid, String[] names, long last) throws Exception {
            long[] result = (long[]) original(null, "stat", grid, names, last);
            result[0] += 10;
            return result;
        }

        public static int twoForms(Subject subject, int a, int b) throws Exception {
            return 10 * (int) original(subject, "twoForms", a, b);
        }

        public static void nothing(Subject subject) {
            System.out.println("nothing");
        }
    }

    private static Object original(Subject subject, String name, Object... arguments)
            throws Exception {
        for (Method method : Subject.class.getMethods()) {
            if (method.getName().equals(name + ClassFile.ORIGINAL)) {
                return method.invoke(subject, arguments);
            }
        }
        throw new IllegalStateException("no original of " + name);
    }

    public static void main(String[] arguments) throws Exception {
        String name = "org/gklshim/RedirectChecks$Subject";
        byte[] bytes;
        try (InputStream stream =
                RedirectChecks.class.getClassLoader().getResourceAsStream(name + ".class")) {
            bytes = NativeLibrary.readAll(stream);
        }
        byte[] before = bytes.clone();
        ClassFile file = new ClassFile(bytes.clone());
        for (String method : new String[] {"secret", "sum", "stat", "nothing", "twoForms"}) {
            file.redirect(name, method, "org/gklshim/RedirectChecks$Target");
        }
        for (String method : new String[] {"absent", "several"}) {
            try {
                file.redirect(name, method, "org/gklshim/RedirectChecks$Target");
            } catch (IOException e) {
                System.out.println(e.getMessage());
            }
        }
        file.open("name");
        file.add("added");
        byte[] changed = file.toBytes();
        MethodHandles.lookup().defineClass(changed);
        Subject subject = new Subject();
        System.out.println(subject.call());
        System.out.println(subject.sum(1, 2, 4, (byte) 8, true, (char) 16, (short) 32));
        System.out.println(Arrays.toString(Subject.stat(new int[2][], new String[3], 1L << 40)));
        subject.nothing();
        System.out.println(subject.several(5));
        System.out.println(subject.twoForms(5));
        for (String method : new String[] {"secret", "sum", "nothing"}) {
            for (Method found : Subject.class.getDeclaredMethods()) {
                if (found.getName().equals(method)) {
                    System.out.println(Modifier.toString(found.getModifiers()) + " " + method);
                }
            }
        }
        int modifiers = Subject.class.getDeclaredField("name").getModifiers();
        System.out.println(Modifier.toString(modifiers) + " name");
        Field added = Subject.class.getField("added");
        added.set(subject, "added");
        System.out.println(added.get(subject));
        System.out.println(Arrays.equals(before, bytes));
        // No file that ends early, or has a wrong byte, may do worse than an IOException.
        for (int length = 0; length < before.length; length++) {
            parse(Arrays.copyOf(before, length));
            byte[] damaged = before.clone();
            damaged[length] ^= 0x55;
            parse(damaged);
        }
        System.out.println("parsed");
    }

    private static void parse(byte[] bytes) {
        try {
            new ClassFile(bytes).redirect("a", "sum", "b");
        } catch (IOException | RuntimeException e) {
            // The agent catches both, and leaves the class as it is.
        }
    }

}
