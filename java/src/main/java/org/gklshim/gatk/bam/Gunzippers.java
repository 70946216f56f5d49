package org.gklshim.gatk.bam;

import htsjdk.samtools.util.BlockGunzipper;
import htsjdk.samtools.util.zip.InflaterFactory;
import java.lang.reflect.Constructor;
import java.util.function.Supplier;
import java.util.zip.Inflater;

/** Makes htsjdk's gunzippers, whose constructor is not public. */
final class Gunzippers {
    private static final Constructor<BlockGunzipper> CONSTRUCTOR = constructor();

    private Gunzippers() {}

    private static Constructor<BlockGunzipper> constructor() {
        try {
            Constructor<BlockGunzipper> found =
                    BlockGunzipper.class.getDeclaredConstructor(InflaterFactory.class);
            found.setAccessible(true);
            return found;
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns a gunzipper that has a new inflater. */
    static BlockGunzipper make(Supplier<Inflater> maker) {
        try {
            return CONSTRUCTOR.newInstance(new InflaterFactory() {
                @Override
                public Inflater makeInflater(boolean gzipCompatible) {
                    return maker.get();
                }
            });
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
