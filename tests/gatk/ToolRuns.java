import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.broadinstitute.hellbender.utils.Utils;

/**
 * Runs the commands of standard input in one JVM, one after the other, and prints what each returns
 * or throws.
 *
 * <p>A line has the name of a main class, and then the arguments, separated by tabs. Other lines:
 * "together" starts the commands up to the next "end" at once; "end" waits for them, and is printed
 * on both outputs; "random" resets GATK's source of random numbers; "set", a name and a value set a
 * property; "limit" and a number of bytes let no file become larger from then on, as on a full disk.
 */
public final class ToolRuns {
    private ToolRuns() {}

    public static void main(String[] none) throws Exception {
        BufferedReader lines = new BufferedReader(
                new InputStreamReader(System.in, StandardCharsets.UTF_8));
        List<Thread> running = new ArrayList<>();
        boolean isTogether = false;
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] words = line.split("\t", -1);
            switch (words[0]) {
                case "together":
                    isTogether = true;
                    break;
                case "end":
                    for (Thread thread : running) {
                        thread.join();
                    }
                    running.clear();
                    isTogether = false;
                    System.err.println("end");
                    System.out.println("end");
                    break;
                case "random":
                    Utils.resetRandomGenerator();
                    break;
                case "set":
                    System.setProperty(words[1], words[2]);
                    break;
                case "limit":
                    limitFiles(words[1]);
                    break;
                default:
                    Thread thread = new Thread(() -> run(words));
                    thread.start();
                    if (isTogether) {
                        running.add(thread);
                    } else {
                        thread.join();
                    }
            }
        }
        System.exit(0);
    }

    private static void run(String[] words) {
        String outcome;
        try {
            Class<?> main = Class.forName(words[0]);
            Method run = main.getDeclaredMethod("instanceMain", String[].class);
            run.setAccessible(true);
            outcome = "returned: " + run.invoke(main.getConstructor().newInstance(),
                    (Object) Arrays.copyOfRange(words, 1, words.length));
        } catch (InvocationTargetException e) {
            e.getCause().printStackTrace();
            outcome = "threw: " + e.getCause();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
        // A tool may have printed a part of a line.
        System.out.println("\n" + outcome);
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
