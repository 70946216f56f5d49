import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Runs ReadsScenarios with htsjdk as the agent changes it, and with htsjdk in a class loader of its
 * own, which the agent leaves alone. Prints the results that differ, their number, and whether the
 * agent has changed each of the two.
 */
public final class ReadsCheck {
    private ReadsCheck() {}

    public static void main(String[] arguments) throws Exception {
        String[] entries = System.getProperty("java.class.path").split(File.pathSeparator);
        URL[] urls = new URL[entries.length];
        for (int k = 0; k < entries.length; k++) {
            urls[k] = new File(entries[k]).toURI().toURL();
        }
        // Not below the application's loader.
        ClassLoader stock = new URLClassLoader(urls, ClassLoader.getSystemClassLoader().getParent());
        ClassLoader ours = ReadsCheck.class.getClassLoader();
        List<String> expected = lines(stock);
        List<String> found = lines(ours);
        for (int k = 0; k < expected.size(); k++) {
            if (!expected.get(k).equals(found.get(k))) {
                System.out.println("stock: " + expected.get(k));
                System.out.println("ours: " + found.get(k));
            }
        }
        System.out.println(expected.size() + " results, " + hasField(stock) + " " + hasField(ours));
    }

    @SuppressWarnings("unchecked")
    private static List<String> lines(ClassLoader loader) throws Exception {
        Thread.currentThread().setContextClassLoader(loader);
        Path folder = Files.createTempDirectory("reads");
        return (List<String>) Class.forName("ReadsScenarios", true, loader)
                .getMethod("run", String.class).invoke(null, folder.toString());
    }

    /** Returns whether the agent has changed the class that compresses. */
    private static boolean hasField(ClassLoader loader) throws ClassNotFoundException {
        try {
            Class.forName("htsjdk.samtools.util.BlockCompressedOutputStream", false, loader)
                    .getField("gklShim");
            return true;
        } catch (NoSuchFieldException e) {
            return false;
        }
    }
}
