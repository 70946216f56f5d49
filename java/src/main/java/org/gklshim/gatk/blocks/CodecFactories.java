package org.gklshim.gatk.blocks;

import com.intel.gkl.compression.IntelDeflaterFactory;
import com.intel.gkl.compression.IntelInflaterFactory;
import htsjdk.samtools.util.zip.DeflaterFactory;
import htsjdk.samtools.util.zip.InflaterFactory;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.Supplier;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/** Remembers how each deflater and inflater was made, so that threads get others like it. */
public final class CodecFactories {
    private static final Map<Object, Supplier<?>> MAKERS = new WeakHashMap<>();

    private CodecFactories() {}

    /** Takes the place of the method of {@link DeflaterFactory}. */
    public static Deflater makeDeflater(DeflaterFactory factory, int level, boolean nowrap) {
        Deflater made = factory.makeDeflater$original(level, nowrap);
        if (factory.getClass() == DeflaterFactory.class) {
            remember(made, () -> new Deflater(level, nowrap));
        }
        return made;
    }

    /** Takes the place of the method of {@link IntelDeflaterFactory}. */
    public static Deflater makeDeflater(IntelDeflaterFactory factory, int level, boolean nowrap) {
        Deflater made = factory.makeDeflater$original(level, nowrap);
        if (factory.getClass() == IntelDeflaterFactory.class) {
            // The factory may fall back on Java's class. It logs that, and need not do so again.
            remember(made, made.getClass() == Deflater.class
                    ? () -> new Deflater(level, nowrap)
                    : () -> factory.makeDeflater$original(level, nowrap));
        }
        return made;
    }

    /** Takes the place of the method of {@link InflaterFactory}. */
    public static Inflater makeInflater(InflaterFactory factory, boolean nowrap) {
        Inflater made = factory.makeInflater$original(nowrap);
        if (factory.getClass() == InflaterFactory.class) {
            remember(made, () -> new Inflater(nowrap));
        }
        return made;
    }

    /** Takes the place of the method of {@link IntelInflaterFactory}. */
    public static Inflater makeInflater(IntelInflaterFactory factory, boolean nowrap) {
        Inflater made = factory.makeInflater$original(nowrap);
        if (factory.getClass() == IntelInflaterFactory.class) {
            remember(made, made.getClass() == Inflater.class
                    ? () -> new Inflater(nowrap)
                    : () -> factory.makeInflater$original(nowrap));
        }
        return made;
    }

    /** Returns what makes deflaters like this one, or null if it is not known. */
    @SuppressWarnings("unchecked")
    static Supplier<Deflater> maker(Deflater deflater) {
        return (Supplier<Deflater>) recall(deflater);
    }

    /** Returns what makes inflaters like this one, or null if it is not known. */
    @SuppressWarnings("unchecked")
    static Supplier<Inflater> maker(Inflater inflater) {
        return (Supplier<Inflater>) recall(inflater);
    }

    private static void remember(Object codec, Supplier<?> maker) {
        synchronized (MAKERS) {
            MAKERS.put(codec, maker);
        }
    }

    private static Supplier<?> recall(Object codec) {
        synchronized (MAKERS) {
            return MAKERS.get(codec);
        }
    }
}
