package org.gklshim;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * All {@link GatkPart}s, and the classes that they change. The build lists their folders in
 * gatk/parts: see java/gatk/PartList.java.
 */
final class GatkParts {
    static final List<GatkPart> ALL = new ArrayList<>();
    private static final Map<String, List<RedirectedClass>> BY_NAME = new HashMap<>();

    static {
        try {
            for (String line : GatkPart.lines("parts")) {
                String folder = line.substring(0, line.indexOf(' '));
                Class<?> part = Class.forName("org.gklshim.gatk." + folder + ".Part");
                ALL.add((GatkPart) part.getField("INSTANCE").get(null));
            }
        } catch (IOException | ReflectiveOperationException | LinkageError e) {
            Log.warning(Log.fallback("all parts", "GATK's own code", e.toString()));
        }
        for (GatkPart part : ALL) {
            for (RedirectedClass redirected : part.redirected()) {
                BY_NAME.computeIfAbsent(redirected.name, name -> new ArrayList<>(1))
                        .add(redirected);
            }
        }
    }

    private GatkParts() {}

    /** Returns what parts change in a class, whose name has slashes. */
    static List<RedirectedClass> changesOf(String name) {
        return BY_NAME.getOrDefault(name, Collections.emptyList());
    }
}
