import java.util.Arrays;
import java.util.List;
import org.broadinstitute.hellbender.Main;

/** Runs several tools of GATK, one after the other, in one JVM. "--and" separates their arguments. */
public final class InOneJvm {
    private InOneJvm() {}

    public static void main(String[] arguments) {
        List<String> words = Arrays.asList(arguments);
        while (!words.isEmpty()) {
            int end = words.contains("--and") ? words.indexOf("--and") : words.size();
            new Main().instanceMain(words.subList(0, end).toArray(new String[0]));
            words = words.subList(Math.min(end + 1, words.size()), words.size());
        }
        System.exit(0);
    }
}
