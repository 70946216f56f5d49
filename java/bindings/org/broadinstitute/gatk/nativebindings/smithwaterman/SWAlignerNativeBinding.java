package org.broadinstitute.gatk.nativebindings.smithwaterman;

import java.io.Closeable;
import org.broadinstitute.gatk.nativebindings.NativeLibrary;

/** A native Smith-Waterman aligner. */
public interface SWAlignerNativeBinding extends NativeLibrary, Closeable {
    SWNativeAlignerResult align(byte[] ref, byte[] alt, SWParameters parameters,
            SWOverhangStrategy overhangStrategy);

    @Override
    default void close() {}
}
