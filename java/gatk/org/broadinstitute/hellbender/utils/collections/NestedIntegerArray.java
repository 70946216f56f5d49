package org.broadinstitute.hellbender.utils.collections;

import java.io.Serializable;

/** Part of GATK's class. */
public final class NestedIntegerArray<T extends Serializable> {
    public native T get(int... keys);

    public native void put(T value, int... keys);
}
