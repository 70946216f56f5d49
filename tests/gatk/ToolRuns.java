import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;

/**
 * Runs the commands of a file in one JVM, one after the other, and prints what each returns or throws.
 * A line has the name of a main class, and then the arguments, separated by tabs.
 */
public final class ToolRuns {
    private ToolRuns() {}

    public static void main(String[] arguments) throws Exception {
        for (String line : Files.readAllLines(Paths.get(arguments[0]))) {
            String[] words = line.split("\t");
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
}
