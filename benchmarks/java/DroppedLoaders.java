package org.gklshim.replay;

import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;

/**
 * Loads our classes in one new class loader after another, computes with them in this thread, and
 * drops the loader.
 *
 * <p>{@code DroppedLoaders CLASSPATH LOADERS PHASES CLASS ARGUMENT ...}. In each loader, it calls
 * the main method of CLASS, which CLASSPATH has, with the arguments. After each phase it prints one
 * line of JSON: how many loaders were made, how many of them are still in memory, and the memory
 * that the process holds.
 */
public final class DroppedLoaders {
    private DroppedLoaders() {}

    public static void main(String[] arguments) throws Exception {
        List<URL> urls = new ArrayList<>();
        for (String entry : arguments[0].split(":")) {
            urls.add(Paths.get(entry).toUri().toURL());
        }
        int count = Integer.parseInt(arguments[1]);
        int phases = Integer.parseInt(arguments[2]);
        String[] rest = java.util.Arrays.copyOfRange(arguments, 4, arguments.length);
        List<WeakReference<ClassLoader>> made = new ArrayList<>();
        long start = System.nanoTime();
        for (int phase = 1; phase <= phases; phase++) {
            while (made.size() < count * phase / phases) {
                URLClassLoader loader = new URLClassLoader(
                        urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
                Class<?> program = loader.loadClass(arguments[3]);
                program.getMethod("main", String[].class).invoke(null, (Object) rest);
                made.add(new WeakReference<>(loader));
                loader.close();
            }
            String memory = RepeatedCalls.memory(); // after it has collected garbage
            long alive = made.stream().filter(each -> each.get() != null).count();
            System.out.printf("{\"loaders\": %d, \"alive\": %d, \"seconds\": %.1f, %s}%n",
                    made.size(), alive, (System.nanoTime() - start) * 1e-9, memory);
        }
    }
}
