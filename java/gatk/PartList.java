import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.gklshim.GatkPart;

/**
 * Lists the parts of GATK that the agent makes faster: java -cp CLASSES PartList.java CLASSES
 *
 * <p>It writes org/gklshim/gatk/parts. A line is a folder with a class Part, and its setting. The
 * agent reads the folders, and gkl_shim/gatk/settings.py the settings.
 */
public final class PartList {
    private PartList() {}

    public static void main(String[] args) throws IOException {
        Path gatk = Paths.get(args[0], "org/gklshim/gatk");
        try (Stream<Path> folders = Files.list(gatk)) {
            List<String> lines = folders
                    .filter(folder -> Files.exists(folder.resolve("Part.class")))
                    .map(folder -> folder.getFileName().toString()).sorted()
                    .map(PartList::line).collect(Collectors.toList());
            Files.write(gatk.resolve("parts"), lines);
        }
    }

    private static String line(String folder) {
        try {
            Class<?> part = Class.forName("org.gklshim.gatk." + folder + ".Part");
            return folder + " " + ((GatkPart) part.getField("INSTANCE").get(null)).setting.name;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
