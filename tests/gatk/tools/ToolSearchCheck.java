import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.broadinstitute.barclay.argparser.ClassFinder;

/**
 * Finds classes with Barclay's ClassFinder as the agent has changed it, and again with Barclay's
 * own code. Each argument is a package, the class that the classes extend, and a jar, or none for
 * those of the class path, with commas between them. Prints whether both find the same, and how
 * many classes each search loads.
 */
public final class ToolSearchCheck {
    private ToolSearchCheck() {}

    public static void main(String[] searches) throws Exception {
        // The first one loads the classes that a ClassFinder needs.
        new ClassFinder();
        List<Set<Class<?>>> found = new ArrayList<>();
        long before = ManagementFactory.getClassLoadingMXBean().getTotalLoadedClassCount();
        for (String search : searches) {
            long start = ManagementFactory.getClassLoadingMXBean().getTotalLoadedClassCount();
            found.add(find(search));
            System.out.println("search loaded " + (ManagementFactory.getClassLoadingMXBean()
                    .getTotalLoadedClassCount() - start));
        }
        long after = ManagementFactory.getClassLoadingMXBean().getTotalLoadedClassCount();
        System.out.println("all loaded " + (after - before));
        for (int k = 0; k < searches.length; k++) {
            List<String> original = names(findByBarclay(searches[k]));
            System.out.println("found " + original.size()
                    + (names(found.get(k)).equals(original) ? " same" : " different"));
            if (searches[k].split(",").length > 2) {
                System.out.println(original);
            }
        }
        long last = ManagementFactory.getClassLoadingMXBean().getTotalLoadedClassCount();
        System.out.println("Barclay loaded " + (last - after));
    }

    private static List<String> names(Set<Class<?>> classes) {
        List<String> names = new ArrayList<>();
        for (Class<?> each : classes) {
            names.add(each.getName());
        }
        return names;
    }

    private static Set<Class<?>> find(String search) throws Exception {
        String[] words = search.split(",");
        ClassFinder finder = words.length > 2
                ? new ClassFinder(new File(words[2])) : new ClassFinder();
        finder.find(words[0], Class.forName(words[1]));
        return finder.getClasses();
    }

    private static Set<Class<?>> findByBarclay(String search) throws Exception {
        String[] words = search.split(",");
        Set<Class<?>> found = new LinkedHashSet<>();
        List<File> jars = new ArrayList<>();
        String folder = words[0].replace('.', '/');
        if (words.length > 2) {
            jars.add(new File(words[2]));
        } else {
            for (String path : System.getProperty("java.class.path").split(":")) {
                jars.add(new File(path));
            }
        }
        for (File jar : jars) {
            if (jar.isFile() && has(jar, folder)) {
                ClassFinder finder = words.length > 2 ? new ClassFinder(jar) : new ClassFinder();
                ClassFinder.class.getField("parentType").set(finder, Class.forName(words[1]));
                ClassFinder.class.getMethod("scanJar$original", File.class, String.class)
                        .invoke(finder, jar, folder);
                found.addAll(finder.getClasses());
            }
        }
        return found;
    }

    /** Returns whether a class loader finds a folder in a jar. */
    private static boolean has(File jar, String folder) throws IOException {
        try (URLClassLoader loader = new URLClassLoader(new URL[] {jar.toURI().toURL()}, null)) {
            return loader.findResource(folder) != null;
        }
    }
}
