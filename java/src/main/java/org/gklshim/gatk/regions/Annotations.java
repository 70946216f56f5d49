package org.gklshim.gatk.regions;

import java.util.ArrayList;
import java.util.List;
import org.gklshim.gatk.Members;

/** The annotations of a run. */
final class Annotations {
    private Annotations() {}

    /** Returns all annotations that an engine of GATK computes. */
    static List<Object> of(Object engine) {
        List<Object> annotations = new ArrayList<>();
        for (String kind : new String[] {
            "infoAnnotations", "genotypeAnnotations", "jumboInfoAnnotations",
            "jumboGenotypeAnnotations",
        }) {
            annotations.addAll((List<?>) Members.get(engine, "annotationEngine." + kind));
        }
        return annotations;
    }
}
