import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;

/**
 * Runs the commands of a file in one JVM, one after the other, and prints what each returns or throws.
 * A line has the name of a main class, and then the arguments, separated by tabs. "limit" and a number
 * of bytes let no file become larger from then on, as on a full disk.
 */
public final class ToolRuns {
    private ToolRuns() {}

    public static void main(String[] arguments) throws Exception {
        for (String line : Files.readAllLines(Paths.get(arguments[0]))) {
            String[] words = line.split("\t");
            if (words[0].equals("limit")) {
                limitFiles(words[1]);
                continue;
            }
            Class<?> main = Class.forName(words[0]);
            Method run = main.getDeclaredMethod("instanceMain", String[].class);
            run.setAccessible(true);
            System.out.println("run: " + line.replace('\t', ' '));
            try {
                Object result = run.invoke(main.getConstructor().newInstance(),
                        (Object) Arrays.copyOfRange(words, 1, words.length));
                System.out.println("returned: " + result);
            } catch (InvocationTargetException e) {
                System.out.println("threw: " + e.getCause());
            }
        }
    }

    private static void limitFiles(String bytes) throws Exception {
        String process = ManagementFactory.getRuntimeMXBean().getName().split("@")[0];
        int result = new ProcessBuilder("prlimit", "--pid", process, "--fsize=" + bytes).inheritIO()
                .start().waitFor();
        if (result != 0) {
            throw new IllegalStateException("prlimit: " + result);
        }
    }
}
