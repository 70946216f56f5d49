import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.broadinstitute.hellbender.Main;

/**
 * Runs several tools of GATK in one JVM: one after the other, or all at once if the first argument is
 * "--at-once". "--and" separates their arguments.
 */
public final class InOneJvm {
    private InOneJvm() {}

    public static void main(String[] arguments) throws InterruptedException {
        boolean atOnce = arguments[0].equals("--at-once");
        List<String> words = Arrays.asList(arguments).subList(atOnce ? 1 : 0, arguments.length);
        List<Thread> running = new ArrayList<>();
        int[] failures = new int[1];
        while (!words.isEmpty()) {
            int end = words.contains("--and") ? words.indexOf("--and") : words.size();
            String[] tool = words.subList(0, end).toArray(new String[0]);
            Thread thread = new Thread(() -> new Main().instanceMain(tool));
            thread.setUncaughtExceptionHandler((failed, error) -> {
                error.printStackTrace();
                failures[0]++;
            });
            thread.start();
            if (atOnce) {
                running.add(thread);
            } else {
                thread.join();
            }
            words = words.subList(Math.min(end + 1, words.size()), words.size());
        }
        for (Thread thread : running) {
            thread.join();
        }
        System.exit(failures[0]);
    }
}
