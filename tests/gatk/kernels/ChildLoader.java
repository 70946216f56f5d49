import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;

/** Runs a tool of GATK in a class loader below the application's, which does not see GATK. */
public final class ChildLoader {
    private ChildLoader() {}

    /**
     * Runs a tool.
     *
     * @param arguments GATK's class path, and the arguments of the tool
     */
    public static void main(String[] arguments) throws Exception {
        String[] jars = arguments[0].split(File.pathSeparator);
        URL[] urls = new URL[jars.length];
        for (int k = 0; k < jars.length; k++) {
            urls[k] = new File(jars[k]).toURI().toURL();
        }
        String[] tool = new String[arguments.length - 1];
        System.arraycopy(arguments, 1, tool, 0, tool.length);
        ClassLoader child = new URLClassLoader(urls, ChildLoader.class.getClassLoader());
        Thread.currentThread().setContextClassLoader(child);
        Class.forName("org.broadinstitute.hellbender.Main", true, child)
                .getMethod("main", String[].class)
                .invoke(null, (Object) tool);
    }
}
