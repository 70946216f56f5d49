package org.gklshim.gatk.regions;

import java.util.Map;
import org.broadinstitute.hellbender.engine.FeatureInput;
import org.broadinstitute.hellbender.engine.FeatureManager;
import org.broadinstitute.hellbender.utils.SimpleInterval;
import org.gklshim.gatk.Members;

/** A source of features of one of GATK's managers, such as the file of --dbsnp. */
final class FeatureSource {
    /** The names of a codec's number of the last line or record, of text and of BCF files. */
    private static final String[] LINE_NUMBERS = {"lineNo", "recordNo"};
    private static final String CACHED = "cachedInterval";

    final FeatureInput<?> input;
    /** What the cache holds. */
    final CachedSpan cached;
    /** GATK's cache. */
    private final Object cache;
    private final Object codec;
    /** Null if the codec does not count. */
    private final String lineNumber;

    private FeatureSource(FeatureInput<?> input, Object dataSource) {
        this.input = input;
        cache = Members.get(dataSource, "queryCache");
        cached = new CachedSpan((SimpleInterval) Members.get(cache, CACHED));
        codec = Members.get(dataSource, "featureReader.codec", null);
        lineNumber = lineNumber(codec);
    }

    private static String lineNumber(Object codec) {
        for (String name : LINE_NUMBERS) {
            if (codec != null && Members.get(codec, name, null) instanceof Integer) {
                return name;
            }
        }
        return null;
    }

    /**
     * Returns the sources of a manager. Managers of one tool have the same sources in one order.
     *
     * @throws IllegalStateException if this version of GATK keeps them in another way
     */
    static FeatureSource[] of(FeatureManager manager) {
        return ((Map<?, ?>) Members.get(manager, "featureSources")).entrySet().stream()
                .map(entry -> new FeatureSource((FeatureInput<?>) entry.getKey(), entry.getValue()))
                .toArray(FeatureSource[]::new);
    }

    /** Returns the number of the last line that was read, which GATK's messages name. */
    int line() {
        return lineNumber == null ? 0 : (int) Members.get(codec, lineNumber);
    }

    void setLine(int line) {
        if (lineNumber != null) {
            Members.replace(codec, lineNumber, line);
        }
    }

    /** Empties the cache. After a failed read, GATK's holds a part of what it should. */
    void clearCache() {
        Members.replace(cache, CACHED, null);
        cached.clear();
    }
}
